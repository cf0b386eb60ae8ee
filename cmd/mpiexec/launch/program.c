#include "cmd/mpiexec/launch/launch.h"

#include "cmd/mpiexec/command_line/words.h"
#include "plain/fail.h"
#include "plain/spelling.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* directory/name if that is a program; else NULL. An empty directory is the current one. */
static char *try_in(const char *directory, const char *name)
{
    char *path = words_format("%s%s%s", directory, *directory ? "/" : "", name);

    if (is_program(path))
        return path;
    free(path);
    return NULL;
}

/* Tries each directory of the list. Relative ones are relative to where mpiexec was started. */
static char *try_list(const char *list, const char *name)
{
    char *copy, *rest = NULL, *found = NULL;

    if (!list)
        return NULL;
    copy = words_format("%s", list);
    for (char *part = strtok_r(copy, ":", &rest); part && !found; part = strtok_r(NULL, ":", &rest))
        found = try_in(part, name);
    free(copy);
    return found;
}

bool program_is_in_path(const char *name)
{
    char *found = try_list(getenv("PATH"), name);

    free(found);
    return found != NULL;
}

static char *program_search(const struct app *app, const char *name)
{
    char *found = NULL;

    if (name[0] == '/')
        return is_program(name) ? words_format("%s", name) : NULL;
    if (!strchr(name, '/'))
        found = try_list(app->path, name);
    if (!found && !strchr(name, '/'))
        found = try_list(getenv("PATH"), name);
    if (!found && app->wdir)
        found = try_in(app->wdir, name);
    return found ? found : try_in("", name);
}

/* Puts into `nearest` a program in `directory` whose name differs by less than *best. */
static void find_nearest(const char *directory, const char *name, int *best, char *nearest)
{
    DIR *dir = opendir(directory);

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        int distance;
        char *path;

        if (!spelling_is_near(name, entry->d_name, &distance) || distance >= *best)
            continue;
        path = words_format("%s/%s", directory, entry->d_name);
        if (is_program(path)) {
            *best = distance;
            snprintf(nearest, NAME_MAX + 1, "%s", entry->d_name);
        }
        free(path);
    }
    if (dir)
        closedir(dir);
}

static int fail_missing(const struct app *app, const char *name)
{
    const char *slash = strrchr(name, '/');
    char *directory = slash ? words_format("%.*s", (int)(slash - name) + 1, name) : words_format(".");
    char nearest[NAME_MAX + 1] = "";
    char *list = slash ? NULL : words_format("%s", getenv("PATH") ? getenv("PATH") : "");
    char *rest = NULL;
    int best = INT_MAX;

    find_nearest(directory, slash ? slash + 1 : name, &best, nearest);
    for (char *part = list ? strtok_r(list, ":", &rest) : NULL; part; part = strtok_r(NULL, ":", &rest))
        find_nearest(part, name, &best, nearest);
    if (nearest[0])
        return fail(MPI_ERR_OTHER, "there is no program '%s'; did you mean %s%s?", name,
                    slash ? directory : "", nearest);
    return fail(MPI_ERR_OTHER, "there is no program '%s'%s%s; check its name, or use its full path", name,
                slash ? "" : " in PATH or in ",
                slash       ? ""
                : app->wdir ? app->wdir
                            : "the current directory");
}

/* Makes the path absolute, because the ranks may have another working directory. Links are kept, because a
 * program may look at its own name. */
static char *make_absolute(char *path)
{
    char *here, *absolute;

    if (path[0] == '/')
        return path;
    here = getcwd(NULL, 0);
    if (!here)
        return NULL;
    absolute = words_format("%s/%s", here, path);
    free(here);
    free(path);
    return absolute;
}

int program_find(struct app *app)
{
    const char *name = app->argv.word[0];
    struct stat info;
    char *found = program_search(app, name);

    if (!found && strchr(name, '/') && stat(name, &info) == 0)
        return S_ISDIR(info.st_mode)
                   ? fail(MPI_ERR_OTHER, "'%s' is a directory, not a program", name)
                   : fail(MPI_ERR_OTHER, "'%s' is not executable; try chmod +x, or name its interpreter",
                          name);
    if (!found)
        return fail_missing(app, name);
    app->program = make_absolute(found);
    return app->program ? 0
                        : fail(MPI_ERR_OTHER, "cannot name '%s' from the root: %s", name, strerror(errno));
}
