#include "cmd/abi/built_for.h"

#include "cmd/abi/python.h"
#include "cmd/place.h"
#include "plain/fail.h"

#include <ctype.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The libraries of each MPI, by the beginning of their names. `version` is that of the ABI that Inkling has. */
struct abi_row {
    const char *stem;
    int version;
    enum abi abi;
    const char *language; /* NULL: C */
};

static const struct abi_row rows[] = {{"libmpi_abi.so.", 1, ABI_STANDARD, NULL},
                                      {"libmpifort_abi.so.", 1, ABI_STANDARD, "Fortran"},
                                      {"libmpi.so.", 40, ABI_OPEN_MPI, NULL},
                                      {"libmpi_mpifh.so.", 40, ABI_OPEN_MPI, "Fortran"},
                                      {"libmpi_usempif08.so.", 40, ABI_OPEN_MPI, "Fortran"},
                                      {"libmpi_usempi_ignore_tkr.so.", 40, ABI_OPEN_MPI, "Fortran"},
                                      {"libmpi_usempi.so.", 40, ABI_OPEN_MPI, "Fortran"},
                                      {"libmpi_cxx.so.", 40, ABI_OPEN_MPI, "C++"},
                                      {"libmpi.so.", 12, ABI_MPICH, NULL},
                                      {"libmpich.so.", 12, ABI_MPICH, NULL},
                                      {"libmpichfort.so.", 12, ABI_MPICH, "Fortran"},
                                      {"libmpichf90.so.", 12, ABI_MPICH, "Fortran"},
                                      {"libmpifort.so.", 12, ABI_MPICH, "Fortran"},
                                      {"libmpicxx.so.", 12, ABI_MPICH, "C++"},
                                      {"libmpichcxx.so.", 12, ABI_MPICH, "C++"},
                                      {"libmpi_cray.so.", 12, ABI_MPICH, NULL},
                                      {"libmpi_gnu.so.", 12, ABI_MPICH, NULL},
                                      {"libmpi_f77.so.", 40, ABI_OPEN_MPI, "Fortran"},
                                      {"libmpi_f90.so.", 40, ABI_OPEN_MPI, "Fortran"}};

enum {
    ROWS = sizeof rows / sizeof *rows
};

/* The row of a library's name; NULL: it is no MPI. *version: its number. */
static const struct abi_row *abi_row_of(const char *library, int *version)
{
    const struct abi_row *near = NULL;

    for (int i = 0; i < ROWS; i++) {
        size_t length = strlen(rows[i].stem);

        if (strncmp(library, rows[i].stem, length) != 0 || !isdigit((unsigned char)library[length]))
            continue;
        *version = atoi(library + length);
        if (*version == rows[i].version || (rows[i].abi == ABI_STANDARD && *version == 0))
            return &rows[i];
        near = near ? near : &rows[i];
    }
    return near;
}

bool abi_is_mpi(const char *library)
{
    int version;

    return abi_row_of(library, &version) != NULL;
}

const char *abi_language(const char *library)
{
    int version;
    const struct abi_row *row = abi_row_of(library, &version);

    return row ? row->language : NULL;
}

/* Which MPI with the ABI of MPICH, where its path or the folders that the program names tell. */
static const char *name_mpich(const struct closure *c, const struct closure_part *part)
{
    static const char *const signs[][2] = {{"intel", "Intel MPI"},       {"impi", "Intel MPI"},
                                           {"mvapich", "MVAPICH"},       {"cray", "Cray MPICH"},
                                           {"libmpi_gnu", "Cray MPICH"}, {"/mpich", "MPICH"}};
    const struct elf_file *by = &c->part[part->needed_by].file;
    const char *places[] = {part->name, part->path, by->rpath, by->runpath};

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (size_t j = 0; places[i] && j < sizeof signs / sizeof *signs; j++)
            if (strstr(places[i], signs[j][0]))
                return signs[j][1];
    return strncmp(part->name, "libmpich", 8) == 0 ? "MPICH"
                                                   : "MPICH, Intel MPI, MVAPICH or another with their ABI";
}

/* Open MPI 1.10 had a libmpi.so.12, too; its predefined handles are variables. */
static bool is_old_open_mpi(const struct closure *c, int by)
{
    struct words names = {0};
    bool is_old = false;

    elf_file_list(&c->part[by].file, ELF_UNDEFINED, &names);
    elf_file_list(&c->part[by].file, ELF_DEFINED, &names); /* copies in the program */
    for (int i = 0; i < names.count && !is_old; i++)
        is_old = strncmp(names.word[i], "ompi_mpi_", 9) == 0;
    free(names.word);
    return is_old;
}

static int fail_old(const struct closure *c, const struct closure_part *part, const char *what)
{
    return fail(
        MPI_ERR_OTHER,
        "'%s' needs %s, of %s; Inkling has the ABI of Open MPI 4 and 5 (libmpi.so.40) and of MPICH from 3.1 "
        "(libmpi.so.12): build it again",
        c->part[part->needed_by].path, part->name, what);
}

/* Takes a part that is an MPI into account. */
static int abi_take(struct abi_found *found, const struct closure_part *part)
{
    const struct closure *c = &found->closure;
    const char *by = c->part[part->needed_by].path;
    int version = 0;
    const struct abi_row *row = abi_row_of(part->name, &version);

    if (!row)
        return 0;
    if (row->abi == ABI_MPICH && version == 12 && is_old_open_mpi(c, part->needed_by))
        return fail_old(c, part, "Open MPI 1.10");
    if (version != row->version && row->abi != ABI_STANDARD)
        return fail_old(c, part,
                        row->abi == ABI_OPEN_MPI ? "an older or newer Open MPI" : "an older or newer MPICH");
    if (found->abi != ABI_NONE && found->abi != row->abi)
        return fail(
            MPI_ERR_OTHER,
            "'%s' needs %s and '%s' needs %s: two MPI libraries cannot be in one process; build both with "
            "one MPI",
            found->needed_by, found->library, by, part->name);
    if (found->abi == ABI_NONE) {
        found->abi = row->abi;
        found->library = part->name;
        found->needed_by = by;
        found->of = row->abi == ABI_STANDARD   ? "the standard ABI of MPI"
                    : row->abi == ABI_OPEN_MPI ? "Open MPI"
                                               : name_mpich(c, part);
    }
    found->is_by_rpath = found->is_by_rpath || part->is_by_rpath;
    return 0;
}

/* Which C library the loader is of, where it is not glibc's; NULL: it is. */
static const char *name_c_library(const char *interpreter)
{
    static const char *const loaders[][2] = {
        {"/ld-musl", "musl"}, {"/ld-uClibc", "uClibc"}, {"/ld64-uClibc", "uClibc"}, {"/linker", "bionic"}};

    for (size_t i = 0; interpreter && i < sizeof loaders / sizeof *loaders; i++)
        if (strstr(interpreter, loaders[i][0]))
            return loaders[i][1];
    return NULL;
}

/* Inkling's own library in it, which mpiexec starts as any other, has the table of `inkling where`. */
static bool has_other_mpi(const struct elf_file *program)
{
    return elf_file_contains(program, "PMPI_Init") && !elf_file_contains(program, "where_table");
}

/* A program with an MPI in it that is not Inkling's, or with another C library. */
static int abi_check_program(const struct abi_found *found)
{
    const struct closure_part *program = &found->closure.part[0];
    const struct elf_file *file = &program->file;

    if (found->abi == ABI_NONE && has_other_mpi(file))
        return fail(MPI_ERR_OTHER,
                    "'%s' has an MPI library in it, linked statically; link it with Inkling's mpicc",
                    program->path);
    if (found->abi != ABI_NONE && name_c_library(file->interpreter))
        return fail(MPI_ERR_OTHER,
                    "'%s' is built for the C library %s, and Inkling for glibc; build it again here",
                    program->path, name_c_library(file->interpreter));
    return 0;
}

/* The interpreter that the first line of a script names, and its first argument; NULL: it is none. */
static char *read_script(const char *path, char **argument)
{
    FILE *in = fopen(path, "re");
    char line[512] = "", *rest = NULL, *interpreter;
    bool is_script = in && fgets(line, sizeof line, in) && strncmp(line, "#!", 2) == 0;

    if (in)
        fclose(in);
    *argument = NULL;
    if (!is_script)
        return NULL;
    interpreter = strtok_r(line + 2, " \t\n", &rest);
    if (!interpreter)
        return NULL;
    rest = strtok_r(NULL, " \t\n", &rest);
    *argument = rest ? words_format("%s", rest) : NULL;
    return words_format("%s", interpreter);
}

char *abi_find_command(const char *name)
{
    const char *list = getenv("PATH");
    char *copy, *rest = NULL, *path = NULL;

    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? words_format("%s", name) : NULL;
    copy = words_format("%s", list ? list : "");
    for (char *folder = strtok_r(copy, ":", &rest); folder && !path; folder = strtok_r(NULL, ":", &rest)) {
        path = words_format("%s/%s", folder, name);
        if (access(path, X_OK) != 0) {
            free(path);
            path = NULL;
        }
    }
    free(copy);
    return path;
}

/* Commands that start the program that their words name. */
static bool is_wrapper(const char *program)
{
    static const char *const names[] = {"env",     "nice",   "nohup",   "numactl",  "taskset", "time",
                                        "timeout", "stdbuf", "setarch", "valgrind", "gdb",     "strace",
                                        "ltrace",  "perf",   "nsys",    "catchsegv"};
    const char *slash = strrchr(program, '/'), *base = slash ? slash + 1 : program;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(base, names[i]) == 0)
            return true;
    return false;
}

/* The program behind such a command: the first word that is one. *at becomes its number. */
static char *find_wrapped(const struct words *argv, int *at)
{
    for (int i = *at + 1; i < argv->count; i++) {
        char *path =
            argv->word[i][0] == '-' || strchr(argv->word[i], '=') ? NULL : abi_find_command(argv->word[i]);

        if (path) {
            *at = i;
            return path;
        }
    }
    return NULL;
}

enum {
    STEPS = 8 /* of commands and scripts that start one another */
};

/* What is to be looked at: the program itself, what a command in front starts, the interpreter of a script, a
 * module of Python's. */
static char *abi_look_for(const char *program, const struct words *argv, struct abi_found *found)
{
    char *path = words_format("%s", program), *argument, *next = NULL;
    int at = 0;

    for (int i = 0; i < STEPS && path; i++) {
        next = NULL;
        if (python_is(path)) {
            next = python_find_mpi(path, argv);
            found->unseen = next ? words_format("modules of Python other than %s", python_name_of(next))
                                 : "modules of Python";
            return next ? next : path;
        }
        if (is_wrapper(path)) {
            next = find_wrapped(argv, &at);
            found->unseen = next ? NULL : "what the command starts";
        } else if ((next = read_script(path, &argument))) {
            found->unseen = "what the script starts";
            if (is_wrapper(next) && argument)
                next = abi_find_command(argument);
        }
        if (!next)
            return path;
        path = next;
    }
    return path;
}

int abi_find(const char *program, const struct words *argv, const char *path_variable,
             struct abi_found *found)
{
    int error = 0;

    *found = (struct abi_found){.closure.path_variable = path_variable};
    found->looked_at = abi_look_for(program, argv, found);
    if (!found->looked_at)
        return 0;
    elf_closure_add(&found->closure, found->looked_at, abi_is_mpi);
    for (int i = 1; i < found->closure.count && !error; i++)
        error = abi_take(found, &found->closure.part[i]);
    if (!error && found->closure.count > 0)
        error = abi_check_program(found);
    return error;
}

char *abi_folder(enum abi abi)
{
    struct install_place place;

    place_find(&place);
    if (abi == ABI_STANDARD)
        return words_format("%s", place.lib);
    return words_format("%s/%sforeign/%s", place.lib, place.in_build_tree ? "" : "inkling/",
                        abi == ABI_OPEN_MPI ? "openmpi" : "mpich");
}

bool abi_has(enum abi abi, const char *library)
{
    char *path = words_format("%s/%s", abi_folder(abi), library);
    bool is_there = access(path, R_OK) == 0;

    free(path);
    return is_there;
}

static bool has_version(const struct words *words, const char *word)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->word[i], word) == 0)
            return true;
    return false;
}

/* The loader of the C library dies, or says little, where a version is absent. */
static int check_part(const struct abi_found *found, const struct closure_part *user, const char *library)
{
    char *path = words_format("%s/%s", abi_folder(found->abi), library);
    struct words needed = {0}, own = {0};
    struct elf_file file;

    elf_file_needed_versions(&user->file, library, &needed);
    if (needed.count == 0 || !elf_file_open(path, &file))
        return 0;
    elf_file_own_versions(&file, &own);
    for (int i = 0; i < needed.count; i++)
        if (!has_version(&own, needed.word[i]))
            return fail(MPI_ERR_OTHER,
                        "'%s' needs version %s of symbols of %s, and Inkling's has %s; build it again",
                        user->path, needed.word[i], library, own.count ? own.word[own.count - 1] : "none");
    return 0;
}

int abi_check_versions(const struct abi_found *found)
{
    const struct closure *c = &found->closure;
    int version, error = 0;

    for (int i = 0; i < c->count && !error; i++)
        for (int j = 0; j < c->part[i].file.needed.count && !error; j++)
            if (abi_row_of(c->part[i].file.needed.word[j], &version))
                error = check_part(found, &c->part[i], c->part[i].file.needed.word[j]);
    return error;
}
