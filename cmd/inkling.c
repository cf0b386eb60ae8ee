/* inkling: reports about this library: what works, which hints there are, where it is installed. */
#include "cmd/inkling.h"

#include "file/cost.h"
#include "hint/coll_rules.h"
#include "hint/hint.h"
#include "hint/print.h"
#include "insight/advise/advise.h"
#include "plain/fail.h"
#include "plain/spelling.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct verb {
    const char *name, *argument, *text;
    int (*run)(const char *argument, bool as_json); /* NULL: a program of its own does it */
};

static char **words_measured; /* behind --measure; NULL: it was not there */
static bool has_all;          /* --all */
static bool has_watch;        /* --watch */
static bool has_lost;         /* --lost, of mpiexec's own */
static bool has_lines;        /* --lines, of `inkling where` on another host */

static int run_status(const char *procedure, bool as_json);
static int run_hints(const char *key, bool as_json);
static int run_coll(const char *file, bool as_json);
static int run_io(const char *ranks, bool as_json);
static int run_advise(const char *folder, bool as_json);
static int run_where(const char *word, bool as_json);
static int run_info(const char *argument, bool as_json);
static int run_vars(const char *word, bool as_json);
static int run_help(const char *argument, bool as_json);

static const struct verb verbs[] = {
    {"status", "[MPI_NAME]",
     "transports of this build, and how many of MPI's procedures work; or whether this one does", run_status},
    {"hints", "[KEY|WORD]", "the hints and settings; everything about one; those that speak of something",
     run_hints},
    {"vars", "[WORD]", "what tools see through MPI_T: settings, counters, events; those with this word",
     run_vars},
    {"coll", "[FILE]",
     "which algorithm each collective takes, where the rule for that comes from, and what others there are; "
     "with FILE as "
     "a job with INKLING_RULES=FILE does",
     run_coll},
    {"io", "[RANKS]", "how so many ranks of this host (4) access a file together, and what that costs",
     run_io},
    {"advise", "[DIR]",
     "which hints the program could give that ran with mpiexec --advise[=DIR]; with --all also those that "
     "gain nothing, in DIR/hints.txt, too; or, advise --measure "
     "[OPTION...] PROGRAM...: what they gain, run as by mpiexec with and without them",
     run_advise},
    {"where", "[JOB|PID]",
     "the MPI jobs that run on this host; what each rank of one does now, and what it waits for; with "
     "--watch, again "
     "each second",
     run_where},
    {"can-run", "[PROGRAM]",
     "for which MPI the program was built, which library it gets here, and what that lacks", can_run},
    {"explain", "[COMMAND...]",
     "what each part of a command line for mpiexec, of Inkling's or another's, means here", NULL},
    {"tune", "[OPTION...]", "measures the collectives here, and writes a file of rules; inkling tune --help",
     NULL},
    {"simulate", "[OPTION...]",
     "what the collectives cost on a cluster that need not exist; inkling simulate --help", NULL},
    {"new-program", "[NAME]",
     "a small program with a Makefile and a list for CMake, to begin with; inkling new-program --help", NULL},
    {"doctor", "[COMMAND...]",
     "what this machine, this shell and a command line for mpiexec let MPI do, and how to change what they "
     "do not",
     doctor_run},
    {"info", "", "version, build and places of this library", run_info},
    {"help", "", "this text", run_help},
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

static int help_hints(void)
{
    printf("inkling hints             every hint and setting: default, whether it is used, since when\n"
           "inkling hints KEY         everything about one; KEY is an info key or an INKLING_ variable\n"
           "inkling hints WORD        those that speak of it\n"
           "inkling hints --markdown  all of it as a page\n\n"
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

    if (strcmp(option, "--markdown") == 0) {
        hint_print_markdown(stdout, gains_here());
        return 0;
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (spelling_is_near(option, options[i], &distance))
            near = options[i];
    return complain("inkling hints has no option", option, near, "see inkling hints --help");
}

static int run_status(const char *procedure, bool as_json)
{
    const char *near;

    if (!procedure)
        return procedures_print(as_json);
    if (procedures_print_one(procedure, as_json, &near))
        return 0;
    return complain("MPI has no procedure", procedure, near, "`inkling status` counts them by chapter");
}

static int run_hints(const char *key, bool as_json)
{
    const struct hint_row *row;

    if (as_json && hint_print_json(stdout, gains_here(), key))
        return 0;
    if (!key) {
        hint_print_summary(stdout, gains_here(), NULL);
        return 0;
    }
    if (*key == '-')
        return run_hints_option(key);
    row = find_hint(key);
    if (row)
        hint_print_row(stdout, gains_here(), row);
    if (hint_print_other(stdout, key) || row)
        return 0;
    if (hint_print_summary(stdout, gains_here(), key))
        return 0;
    row = hint_nearest(key);
    return complain("there is no hint", key, row ? row->key : NULL, "`inkling hints` lists them");
}

static int run_vars(const char *word, bool as_json)
{
    return vars_run(word, as_json);
}

/* The rules that a job has whose environment is this command's. */
static int run_coll(const char *file, bool as_json)
{
    const struct rules *given;

    if (file && setenv("INKLING_RULES", file, 1))
        return 1;
    if (hint_process_init()) {
        fprintf(stderr, "inkling: coll: %s\n", fail_note());
        return 1;
    }
    given = coll_rules_of(&hint_process);
    if (as_json)
        coll_table_print_json(stdout, given);
    else
        coll_table_print(stdout, given);
    return file && !given && strcmp(file, coll_rules_built_in) != 0;
}

static int run_io(const char *text, bool as_json)
{
    long ranks = 4, cores = sysconf(_SC_NPROCESSORS_ONLN);
    char *end = NULL;
    int aggregators;

    if (text)
        ranks = strtol(text, &end, 10);
    if (text && (!*text || *end || ranks < 2 || ranks > 1 << 20))
        return complain("there is no number of ranks", text, NULL, "give one from 2 to 1048576");
    aggregators = (int)(ranks < cores ? ranks : cores);
    if (as_json)
        cost_print_json(stdout, (int)ranks, aggregators);
    else
        cost_print(stdout, (int)ranks, aggregators);
    return 0;
}

/* Makes the advice again from the profile of a run, also of one under another launcher. */
static int run_advise(const char *folder, bool as_json)
{
    if (words_measured)
        return measure_run(words_measured);
    if (advise_verb(folder ? folder : "inkling-advice", as_json, has_all) == 0)
        return 0;
    fprintf(stderr, "inkling: advise: %s\n", fail_note());
    return 1;
}

static int run_where(const char *word, bool as_json)
{
    return where_run(word, has_watch && has_lines ? WHERE_SECONDS
                           : has_watch            ? WHERE_WATCH
                           : has_lost             ? WHERE_LOST
                           : has_lines            ? WHERE_LINES
                           : as_json              ? WHERE_JSON
                                                  : WHERE_TEXT);
}

static int run_info(const char *argument, bool as_json)
{
    (void)argument;
    return build_info_print(as_json);
}

static int run_help(const char *argument, bool as_json)
{
    (void)argument;
    (void)as_json;
    printf("inkling tells about the Inkling MPI library.\n\n");
    for (int i = 0; i < VERBS; i++)
        printf("  inkling %-8s %-11s %s\n", verbs[i].name, verbs[i].argument, verbs[i].text);
    printf("\n  --json     the answer as JSON\n  --help     behind a verb: what it is for\n");
    printf("\nTo compile a program: mpicc -help. To run it: mpiexec --help.\n");
    return 0;
}

static int help_verb(const struct verb *verb)
{
    if (verb->run == run_hints)
        return help_hints();
    if (verb->run == run_help)
        return run_help(NULL, false);
    printf("inkling %s%s%s [--json]: %s\n", verb->name, *verb->argument ? " " : "", verb->argument,
           verb->text);
    return 0;
}

/* Takes the options out of the words, wherever they are. Behind --measure there is another command. */
static int take_options(int argc, char **argv, bool *as_json)
{
    int left = 1;

    for (int i = 1; i < argc && !words_measured; i++)
        if (strcmp(argv[i], "--json") == 0)
            *as_json = true;
        else if (strcmp(argv[i], "--all") == 0)
            has_all = true;
        else if (strcmp(argv[i], "--watch") == 0)
            has_watch = true;
        else if (strcmp(argv[i], "--lost") == 0)
            has_lost = true;
        else if (strcmp(argv[i], "--lines") == 0)
            has_lines = true;
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

/* Whether this verb is a program of its own, which reads all words behind it. */
static bool is_helper(const char *word)
{
    static const char *const names[] = {"tune", "simulate", "new-program"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(word, names[i]) == 0)
            return true;
    return false;
}

/* The command line behind this verb and `options` words of inkling's own; NULL: there is none. */
static char **command_line_of(char **argv, const char *verb, int options)
{
    char **words = argv + 2 + options;

    return strcmp(argv[1], verb) == 0 && *words && strcmp(*words, "--help") != 0 && strcmp(*words, "-h") != 0
               ? words
               : NULL;
}

static bool is_json(const char *word)
{
    return strcmp(word, "--json") == 0;
}

int main(int argc, char **argv)
{
    const char *word, *near;
    const struct verb *verb;
    bool as_json = false;
    char **words;

    if (argc > 1 && is_helper(argv[1]))
        return helper_run(argv[1], argv + 2);
    if (argc > 2 && (words = command_line_of(argv, "explain", 0)))
        return helper_explain(words);
    if (argc > 2 && (words = command_line_of(argv, "doctor", is_json(argv[2]))))
        return doctor_run_for(words, is_json(argv[2]));
    argc = take_options(argc, argv, &as_json);
    word = argc > 1 ? argv[1] + strspn(argv[1], "-") : "help";
    if (strcmp(word, "version") == 0 || strcmp(word, "V") == 0) {
        printf("inkling %s\n", INKLING_VERSION);
        return 0;
    }
    verb = strcmp(word, "h") == 0 ? &verbs[VERBS - 1] : find_verb(word, &near);
    if (!verb)
        return complain("there is no verb", argv[1], near, "inkling --help lists them");
    if (argc == 3 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0))
        return help_verb(verb);
    if (argc > (*verb->argument ? 3 : 2))
        return complain("too many arguments from", argv[*verb->argument ? 3 : 2], NULL, "see inkling --help");
    if (words_measured && verb->run != run_advise)
        return complain("there is nothing to measure in", verb->name, NULL, "it is inkling advise --measure");
    if (has_all && (words_measured || verb->run != run_advise))
        return complain("there are no hints for --all in", words_measured ? "--measure" : verb->name, NULL,
                        "it is inkling advise --all");
    if (has_watch && (as_json || verb->run != run_where))
        return complain("there is nothing to watch in", as_json ? "--json" : verb->name, NULL,
                        "it is inkling where --watch JOB");
    if (as_json && (words_measured || verb->run == run_help))
        return complain("there is no JSON of", words_measured ? "--measure" : verb->name, NULL,
                        "leave --json out");
    if (!verb->run)
        return help_verb(verb);
    return verb->run(argc > 2 ? argv[2] : NULL, as_json);
}
