/* inkling: reports about this library: what works, which hints there are, where it is installed. */
#include "base/fail.h"
#include "base/spelling.h"
#include "cmd/doctor.h"
#include "cmd/measure.h"
#include "cmd/place.h"
#include "cmd/transports.h"
#include "cmd/vars.h"
#include "coll/choice.h"
#include "file/cost.h"
#include "hint/hint.h"
#include "hint/print.h"
#include "insight/advise/advise.h"

#include <coverage.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <unistd.h>

struct verb {
    const char *name, *argument, *text;
    int (*run)(const char *argument);
    bool has_json;
};

static bool as_json;          /* --json */
static char **words_measured; /* behind --measure; NULL: it was not there */

static int run_status(const char *procedure);
static int run_hints(const char *key);
static int run_coll(const char *argument);
static int run_io(const char *ranks);
static int run_advise(const char *folder);
static int run_info(const char *argument);
static int run_vars(const char *word);
static int run_help(const char *argument);

static const struct verb verbs[] = {
    {"status", "[MPI_NAME]",
     "transports of this build, and how many of MPI's procedures work; or whether this one does", run_status,
     false},
    {"hints", "[KEY|WORD]", "the hints and settings; everything about one; those that speak of something",
     run_hints, true},
    {"vars", "[WORD]", "what tools see through MPI_T: settings, counters, events; those with this word",
     run_vars, true},
    {"coll", "", "which algorithm each collective takes, and what others there are", run_coll, false},
    {"io", "[RANKS]", "how so many ranks of this host (4) access a file together, and what that costs",
     run_io, false},
    {"advise", "[DIR]",
     "which hints the program could give that ran with mpiexec --advise[=DIR]; or, advise --measure "
     "[OPTION...] "
     "PROGRAM...: what they gain, run as by mpiexec with and without them",
     run_advise, false},
    {"doctor", "", "what this machine lets MPI do, and how to change what it does not", doctor_run, false},
    {"info", "", "version, build and places of this library", run_info, false},
    {"help", "", "this text", run_help, false},
};

enum {
    VERBS = sizeof verbs / sizeof *verbs
};

static int complain(const char *what, const char *word, const char *near, const char *otherwise)
{
    if (near)
        fprintf(stderr, "inkling: %s '%s'; did you mean %s?\n", what, word, near);
    else
        fprintf(stderr, "inkling: %s '%s'; %s\n", what, word, otherwise);
    return 1;
}

static void print_fortran(const struct coverage_row *row)
{
    if (!row->fortran) {
        printf("in C alone\n");
        return;
    }
    printf("in Fortran: %s, with%s%s mpi_f08%s\n", row->fortran,
           row->interfaces & COVERAGE_MPIF_H ? " mpif.h," : "", row->interfaces & COVERAGE_MPI ? " mpi," : "",
           INKLING_FORTRAN[0] ? "" : "; this build has none of these");
}

/* Reports one procedure. Case does not matter. A name without MPI_ gets a reminder. */
static int run_status_of(const char *name)
{
    size_t left_out = strncasecmp(name, "mpi_", 4) == 0 ? 0 : strlen("MPI_");
    const char *near = NULL;
    int distance, best = INT_MAX;

    for (const struct coverage_row *row = coverage_table; row->name; row++) {
        if (strcasecmp(row->name, name) == 0) {
            printf("%s (chapter %d, %s): %s\n", row->name, row->number, row->chapter,
                   row->body ? "works" : "not written yet; it raises MPI_ERR_UNSUPPORTED_OPERATION");
            if (row->body)
                printf("its body is %s in %s\n", row->body, row->file);
            print_fortran(row);
            return 0;
        }
        if (spelling_is_near(name, row->name + left_out, &distance) && distance < best) {
            best = distance;
            near = row->name;
        }
    }
    return complain("MPI has no procedure", name, near, "`inkling status` counts them by chapter");
}

/* What the rows of a chapter, or all of them, come to. */
struct status_count {
    int all, work, mpif_h, mpi, mpi_f08;
};

static void status_add(struct status_count *count, const struct coverage_row *row)
{
    count->all++;
    count->work += row->body != NULL;
    count->mpif_h += (row->interfaces & COVERAGE_MPIF_H) != 0;
    count->mpi += (row->interfaces & COVERAGE_MPI) != 0;
    count->mpi_f08 += (row->interfaces & COVERAGE_MPI_F08) != 0;
}

static void status_print(const char *title, const struct status_count *count)
{
    printf("%-58s%9d%8d", title, count->work, count->all);
    if (INKLING_FORTRAN[0])
        printf("%10d%8d%9d", count->mpif_h, count->mpi, count->mpi_f08);
    putchar('\n');
}

static int run_status(const char *procedure)
{
    const struct coverage_row *row = coverage_table;
    struct status_count all = {0};

    if (procedure)
        return run_status_of(procedure);
    transports_print();
    printf("%-58s%9s%8s%s\n", "chapter", "works", "of",
           INKLING_FORTRAN[0] ? "    mpif.h     mpi  mpi_f08" : "");
    while (row->name) {
        const struct coverage_row *first = row;
        struct status_count count = {0};
        char title[80];

        for (; row->name && row->number == first->number; row++) {
            status_add(&count, row);
            status_add(&all, row);
        }
        snprintf(title, sizeof title, "%2d  %s", first->number, first->chapter);
        status_print(title, &count);
    }
    status_print("all", &all);
    printf("\nThe others raise MPI_ERR_UNSUPPORTED_OPERATION. %s\n",
           INKLING_FORTRAN[0] ? "The last columns count what Fortran can call."
                              : "This build has no Fortran: install a compiler, and run make.");
    return 0;
}

static int help_hints(void)
{
    printf("inkling hints             every hint and setting: default, whether it is used, since when\n"
           "inkling hints KEY         everything about one; KEY is an info key or an INKLING_ variable\n"
           "inkling hints WORD        those that speak of it; with --json, as JSON\n"
           "inkling hints --markdown  docs/HINTS.md\n\n"
           "What became of the hints that a program gives: mpiexec --hints-report.\n");
    return 0;
}

/* Keys of the table are lower case; variables are written in capitals. */
static const struct hint_row *find_hint(const char *key)
{
    for (int id = 0; id < HINT_COUNT; id++)
        if (strcasecmp(hint_table[id].key, key) == 0)
            return &hint_table[id];
    return NULL;
}

static int run_hints_option(const char *option)
{
    static const char *const options[] = {"--markdown", "--help"};
    const char *near = NULL;
    int distance;

    if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0)
        return help_hints();
    if (strcmp(option, "--markdown") == 0) {
        hint_print_markdown(stdout);
        return 0;
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (spelling_is_near(option, options[i], &distance))
            near = options[i];
    return complain("inkling hints has no option", option, near, "see inkling hints --help");
}

static int run_hints(const char *key)
{
    const struct hint_row *row;

    if (as_json && hint_print_json(stdout, key))
        return 0;
    if (!key) {
        hint_print_summary(stdout, NULL);
        return 0;
    }
    if (*key == '-')
        return run_hints_option(key);
    row = find_hint(key);
    if (row)
        hint_print_row(stdout, row);
    if (hint_print_other(stdout, key) || row)
        return 0;
    if (hint_print_summary(stdout, key))
        return 0;
    row = hint_nearest(key);
    return complain("there is no hint", key, row ? row->key : NULL, "`inkling hints` lists them");
}

static int run_vars(const char *word)
{
    return vars_run(word, as_json);
}

static int run_coll(const char *argument)
{
    (void)argument;
    choice_print(stdout);
    return 0;
}

static int run_io(const char *text)
{
    long ranks = 4, cores = sysconf(_SC_NPROCESSORS_ONLN);
    char *end = NULL;

    if (text)
        ranks = strtol(text, &end, 10);
    if (text && (!*text || *end || ranks < 2 || ranks > 1 << 20))
        return complain("there is no number of ranks", text, NULL, "give one from 2 to 1048576");
    cost_print(stdout, (int)ranks, (int)(ranks < cores ? ranks : cores));
    return 0;
}

/* Makes the advice again from the profile of a run, also of one under another launcher. */
static int run_advise(const char *folder)
{
    if (words_measured)
        return measure_run(words_measured);
    if (advise_write(folder ? folder : "inkling-advice", stdout) == 0)
        return 0;
    fprintf(stderr, "inkling: advise: %s\n", fail_note());
    return 1;
}

static int run_info(const char *argument)
{
    struct utsname system = {0};
    struct install_place place;
    bool found = place_find(&place);

    (void)argument;
    uname(&system);
    printf("Inkling    %s, MPI %d.%d, standard ABI\n", INKLING_VERSION, MPI_VERSION, MPI_SUBVERSION);
    printf("build      %s, by %s%s%s\n", INKLING_BUILD_TYPE, INKLING_COMPILER,
           *INKLING_WRAPPER_FLAGS ? ", " : "", INKLING_WRAPPER_FLAGS);
    printf("place      %s%s\n", place.in_build_tree ? "a build tree" : "installed",
           found ? "" : " (the library or mpi.h is missing)");
    printf("commands   %s\n", place.bin);
    printf("library    %s/libmpi_abi.so.1\n", place.lib);
    printf("mpi.h      %s\n", place.include);
    printf("this host  %s %s, %s, %ld cores\n", system.sysname, system.release, system.machine,
           sysconf(_SC_NPROCESSORS_ONLN));
    return found ? 0 : 1;
}

static int run_help(const char *argument)
{
    (void)argument;
    printf("inkling tells about the Inkling MPI library.\n\n");
    for (int i = 0; i < VERBS; i++)
        printf("  inkling %-6s %-11s %s\n", verbs[i].name, verbs[i].argument, verbs[i].text);
    printf("\n  --json     the answer of hints or vars as JSON\n");
    printf("\nTo compile a program: mpicc --help. To run it: mpiexec --help.\n");
    return 0;
}

/* Takes the options out of the words, wherever they are. Behind --measure there is another command. */
static int take_options(int argc, char **argv)
{
    int left = 1;

    for (int i = 1; i < argc && !words_measured; i++)
        if (strcmp(argv[i], "--json") == 0)
            as_json = true;
        else if (strcmp(argv[i], "--measure") == 0)
            words_measured = argv + i + 1;
        else
            argv[left++] = argv[i];
    return left;
}

static const struct verb *find_verb(const char *word, const char **near)
{
    int distance, best = INT_MAX;

    *near = NULL;
    for (int i = 0; i < VERBS; i++) {
        if (strcmp(word, verbs[i].name) == 0)
            return &verbs[i];
        if (spelling_is_near(word, verbs[i].name, &distance) && distance < best) {
            best = distance;
            *near = verbs[i].name;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *word, *near;
    const struct verb *verb;

    argc = take_options(argc, argv);
    word = argc > 1 ? argv[1] + strspn(argv[1], "-") : "help";
    if (strcmp(word, "version") == 0 || strcmp(word, "V") == 0) {
        printf("inkling %s\n", INKLING_VERSION);
        return 0;
    }
    verb = strcmp(word, "h") == 0 ? &verbs[VERBS - 1] : find_verb(word, &near);
    if (!verb)
        return complain("there is no verb", argv[1], near, "inkling --help lists them");
    if (argc > (*verb->argument ? 3 : 2))
        return complain("too many arguments from", argv[*verb->argument ? 3 : 2], NULL, "see inkling --help");
    if (words_measured && verb->run != run_advise)
        return complain("there is nothing to measure in", verb->name, NULL, "it is inkling advise --measure");
    if (as_json && !verb->has_json)
        return complain("there is no JSON of", verb->name, NULL, "leave --json out");
    return verb->run(argc > 2 ? argv[2] : NULL);
}
