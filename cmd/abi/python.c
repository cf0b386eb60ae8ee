#include "cmd/abi/python.h"

#include "cmd/abi/built_for.h"
#include "cmd/abi/elf_file.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *name_of_file(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool python_is(const char *program)
{
    const char *base = name_of_file(program);

    return strncmp(base, "python", 6) == 0 && (!base[6] || isdigit((unsigned char)base[6]));
}

/* The library in this folder of modules. Builds for several MPIs choose when they are loaded, so nothing is known of those. */
static char *look_in(const char *folder)
{
    char *package = words_format("%s/mpi4py", folder), *found = NULL;
    DIR *dir = opendir(package);
    int libraries = 0;

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);

        if (strncmp(entry->d_name, "MPI.", 4) != 0 || length < 7 ||
            strcmp(entry->d_name + length - 3, ".so") != 0)
            continue;
        free(found);
        found = words_format("%s/%s", package, entry->d_name);
        libraries++;
    }
    if (dir)
        closedir(dir);
    free(package);
    if (libraries == 1)
        return found;
    free(found);
    return NULL;
}

/* A line of a .pth file that is no code and no comment names another folder. */
static char *look_in_named(const char *folder, const char *file)
{
    char *path = words_format("%s/%s", folder, file), *line = NULL, *found = NULL;
    FILE *in = fopen(path, "re");
    size_t room = 0;

    while (in && !found && getline(&line, &room, in) > 0) {
        line[strcspn(line, "\r\n")] = 0;
        if (!*line || *line == '#' || strncmp(line, "import", 6) == 0)
            continue;
        free(path);
        path = words_format("%s%s%s", *line == '/' ? "" : folder, *line == '/' ? "" : "/", line);
        found = look_in(path);
    }
    if (in)
        fclose(in);
    free(line);
    free(path);
    return found;
}

/* A folder of installed modules. */
static char *look_in_site(char *folder)
{
    char *found = look_in(folder);
    DIR *dir = found ? NULL : opendir(folder);

    for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);

        if (length > 4 && strcmp(entry->d_name + length - 4, ".pth") == 0)
            found = look_in_named(folder, entry->d_name);
    }
    if (dir)
        closedir(dir);
    free(folder);
    return found;
}

static bool needs_mpi(const char *path)
{
    struct elf_file file;
    bool needs = false;

    if (!elf_file_open(path, &file))
        return false;
    for (int i = 0; i < file.needed.count; i++)
        needs |= abi_is_mpi(file.needed.word[i]);
    elf_file_close(&file);
    return needs;
}

/* A module in this folder that is a library and needs an MPI itself. */
static char *look_for_modules(const char *folder)
{
    char *found = NULL;
    DIR *dir = opendir(folder);

    for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);

        if (length < 4 || strcmp(entry->d_name + length - 3, ".so") != 0)
            continue;
        found = words_format("%s/%s", folder, entry->d_name);
        if (!needs_mpi(found)) {
            free(found);
            found = NULL;
        }
    }
    if (dir)
        closedir(dir);
    return found;
}

/* In a folder that goes before those of installed modules. */
static char *look_in_early(const char *folder)
{
    char *found = look_in(folder);

    return found ? found : look_for_modules(folder);
}

/* What `env` in front of the Python sets goes before the variable. */
static const char *path_for(const struct words *argv)
{
    static const char name[] = "PYTHONPATH=";

    for (int i = 0; i < argv->count; i++)
        if (strncmp(argv->word[i], name, strlen(name)) == 0)
            return argv->word[i] + strlen(name);
    return getenv("PYTHONPATH");
}

static char *look_in_path(const struct words *argv)
{
    const char *list = path_for(argv);
    char *copy = words_format("%s", list ? list : ""), *rest = NULL, *found = NULL;

    for (char *folder = strtok_r(copy, ":", &rest); folder && !found; folder = strtok_r(NULL, ":", &rest))
        found = look_in_early(folder);
    free(copy);
    return found;
}

/* The folder of the script is the first in which Python looks. */
static char *look_beside_script(const struct words *argv)
{
    for (int i = 1; i < argv->count; i++) {
        const char *word = argv->word[i], *slash = strrchr(word, '/');
        size_t length = strlen(word);

        if (length > 3 && strcmp(word + length - 3, ".py") == 0) {
            char *folder = slash ? words_format("%.*s", (int)(slash - word + 1), word) : words_format(".");
            char *found = look_in_early(folder);

            free(folder);
            return found;
        }
    }
    return NULL;
}

/* The folders of an installation. Debian keeps modules of all versions in one. */
static char *look_in_prefix(const char *prefix, const char *version)
{
    static const char *const folders[][2] = {
        {"lib", "site"}, {"lib64", "site"}, {"local/lib", "dist"}, {"lib", "dist"}, {"local/lib", "site"}};
    char *found = NULL;

    for (size_t i = 0; i < sizeof folders / sizeof *folders && !found; i++)
        found =
            look_in_site(words_format("%s/%s/%s/%s-packages", prefix, folders[i][0], version, folders[i][1]));
    return found ? found : look_in_site(words_format("%s/lib/python3/dist-packages", prefix));
}

static char *up_from(const char *path, int levels)
{
    char *folder = words_format("%s", path);

    for (int i = 0; i < levels; i++) {
        char *slash = strrchr(folder, '/');

        if (slash)
            *slash = 0;
    }
    return folder;
}

/* pyvenv.cfg lies in the folder above the command. *sees_all: the modules of the installation are there too. */
static void read_venv(const char *prefix, bool *sees_all)
{
    char *path = words_format("%s/pyvenv.cfg", prefix), *line = NULL;
    FILE *in = fopen(path, "re");
    size_t room = 0;

    *sees_all = in == NULL;
    while (in && getline(&line, &room, in) > 0)
        if (strncmp(line, "include-system-site-packages", 28) == 0 && strstr(line, "true"))
            *sees_all = true;
    free(line);
    free(path);
    if (in)
        fclose(in);
}

const char *python_name_of(const char *module)
{
    return strstr(module, "/mpi4py/") ? "mpi4py" : name_of_file(module);
}

char *python_find_mpi(const char *python, const struct words *argv)
{
    char real[PATH_MAX], *prefix = up_from(python, 2), *base = NULL, *found = look_beside_script(argv);
    const char *home = getenv("HOME"), *version;
    bool sees_all;

    if (!found)
        found = look_in_path(argv);
    if (!realpath(python, real))
        snprintf(real, sizeof real, "%s", python);
    version = name_of_file(real);
    base = up_from(real, 2);
    read_venv(prefix, &sees_all);
    if (!found && sees_all && home)
        found = look_in_site(words_format("%s/.local/lib/%s/site-packages", home, version));
    if (!found)
        found = look_in_prefix(prefix, version);
    if (!found && sees_all)
        found = look_in_prefix(base, version);
    free(prefix);
    free(base);
    return found;
}
