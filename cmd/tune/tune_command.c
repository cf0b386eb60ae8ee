/* inkling tune: measures this machine or allocation and writes a file of rules (hint/coll_rules.h). The verb `tune` of inkling runs this
 * program (cmd/helper.c). */
#include "cmd/place.h"
#include "cmd/tune/tune.h"
#include "hint/hint.h"
#include "plain/adapter.h"
#include "plain/clock.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_RANKS = 32, /* counts of them */
    MOST_WORDS = 64,
    WORDS_SIZE = 512
};

extern char **environ;

static struct {
    const char *output, *sizes;
    char *start[MOST_WORDS]; /* the command that starts ranks: their number and the program come behind it */
    int starts;
    int ranks[MOST_RANKS], counts;
    double minutes;
    unsigned wanted; /* collectives, bits; 0: all */
} asked = {.output = "rules.json", .sizes = "8,64,512,2048,8192,32768,131072,1048576", .minutes = 10};

static struct tune tune;
static uint64_t began;
static char rank_program[PLACE_SIZE + 64], mpiexec[PLACE_SIZE + 64], part_name[PLACE_SIZE + 8];
static FILE *part; /* lines of the jobs that have ended */

static const char help[] =
    "inkling tune [OPTION...] [COLLECTIVE...]: measures which algorithms are fastest here, and between hosts "
    "which network, and writes a file of rules.\n\n"
    "  --output FILE     the file (rules.json); FILE.part keeps what a run that was stopped has measured\n"
    "  --ranks LIST      numbers of ranks to measure (powers of two, up to a rank for each core)\n"
    "  --sizes LIST      bytes, as `inkling coll` counts them (8,64,512,2048,8192,32768,131072,1048576)\n"
    "  --minutes N       about how long to measure at most (10)\n"
    "  --start COMMAND   what starts ranks, such as \"srun -n\" (in a Slurm allocation that; else \"mpiexec "
    "-n\")\n\n"
    "Let nothing else run meanwhile. Use the file with INKLING_RULES=FILE, or put it to "
    "etc/inkling/rules.json of the installation.\n";

static double minutes_gone(void)
{
    return (double)(clock_ns() - began) / 6e10;
}

static int tune_complain(const char *what, const char *word, const char *mend)
{
    fprintf(stderr, "inkling: tune: %s '%s'; %s\n", what, word, mend);
    return 1;
}

/* Starting a job of tune_rank. */

static void fill_words(char *argument[MOST_WORDS * 2], int ranks, char *number, size_t size,
                       char *const *words)
{
    int count = 0;

    for (int i = 0; i < asked.starts; i++)
        argument[count++] = asked.start[i];
    snprintf(number, size, "%d", ranks);
    argument[count++] = number;
    argument[count++] = rank_program;
    for (; *words; words++)
        argument[count++] = *words;
    argument[count] = NULL;
}

/* What the job prints, to be read until its end. NULL: it could not be started. */
static FILE *start_job(char **argument, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int ends[2], error;

    if (pipe(ends))
        return NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    error = posix_spawnp(child, argument[0], &actions, NULL, argument, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        tune_complain("there is no command", argument[0], strerror(error));
        return NULL;
    }
    return fdopen(ends[0], "r");
}

/* Runs tune_rank on so many ranks; its lines go to `into`, and to `kept` if there is one. */
static bool run_job(struct tune *into, FILE *kept, int ranks, char *const *words)
{
    char *argument[MOST_WORDS * 2], number[16], line[WORDS_SIZE];
    int status = 0, hosts = 1;
    pid_t child;
    FILE *from;

    fill_words(argument, ranks, number, sizeof number, words);
    from = start_job(argument, &child);
    while (from && fgets(line, sizeof line, from)) {
        tune_take_line(into, line, ranks, &hosts);
        if (kept)
            fputs(line, kept);
    }
    if (!from)
        return false;
    fclose(from);
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* What is measured, and what has been. */

static void format_job(char *text, size_t size, int ranks, const char *what)
{
    snprintf(text, size, "done %d %s", ranks, what);
}

/* Whether a run before this one has measured it. */
static bool is_done(int ranks, const char *what)
{
    char line[WORDS_SIZE], wanted[64];
    bool found = false;

    format_job(wanted, sizeof wanted, ranks, what);
    rewind(part);
    while (!found && fgets(line, sizeof line, part)) {
        line[strcspn(line, "\n")] = '\0';
        found = strcmp(line, wanted) == 0;
    }
    fseek(part, 0, SEEK_END);
    return found;
}

/* The lines of a job stand before its "done"; those of one that was stopped have none, and are left out. */
static void take_part(void)
{
    char line[WORDS_SIZE];
    int before = 0, hosts = 1, ranks = 0;

    rewind(part);
    while (fgets(line, sizeof line, part)) {
        if (sscanf(line, "job %d", &ranks) == 1)
            tune.points = before;
        else if (strncmp(line, "done ", 5) == 0)
            before = tune.points;
        else
            tune_take_line(&tune, line, ranks, &hosts);
    }
    tune.points = before;
    fseek(part, 0, SEEK_END);
}

/* The words of a collective's algorithms but those that a job of one host cannot take, with commas. */
static void list_algorithms(int collective, char *text, size_t size)
{
    snprintf(text, size, "%s", strchr(hint_table[HINT_BARRIER + collective].choices, ',') + 1);
}

/* Keeps what the job prints if it ends well. */
static bool run_kept(int ranks, const char *what, char *const *words)
{
    fprintf(part, "job %d\n", ranks);
    if (!run_job(&tune, part, ranks, words))
        return false;
    fprintf(part, "done %d %s\n", ranks, what);
    fflush(part);
    return true;
}

static bool measure(int number, int all, int ranks, const char *what, char *const *words)
{
    if (is_done(ranks, what))
        return true;
    if (minutes_gone() > asked.minutes) {
        fprintf(stderr,
                "The %g minutes are over. Run the same command again to go on; this is what has been found "
                "so far.\n",
                asked.minutes);
        return false;
    }
    fprintf(stderr, "[%d/%d] %s on %d ranks; %.1f minutes gone\n", number, all, what, ranks, minutes_gone());
    if (!run_kept(ranks, what, words)) {
        fprintf(stderr, "inkling: tune: the job of %d ranks failed; see above\n", ranks);
        exit(1);
    }
    return true;
}

/* Whether the library may take the faster network: ranks are on several hosts, nobody has named one, and no device wants one. */
static bool network_is_open(void)
{
    struct fabric_port device;

    return tune.far.is_known && !getenv("INKLING_NETWORK") && !getenv("INKLING_TRANSPORT") &&
           !adapter_find_fabric("/sys", &device);
}

static void measure_networks(int ranks)
{
    for (int i = 0; i < TUNE_NETWORKS; i++) {
        char name[8], what[32], word[] = "network", *words[] = {word, name, NULL};

        snprintf(name, sizeof name, "%s", tune_networks[i]);
        snprintf(what, sizeof what, "network %s", name);
        if (is_done(ranks, what))
            continue;
        fprintf(stderr, "%s on %d ranks; %.1f minutes gone\n", what, ranks, minutes_gone());
        setenv("INKLING_NETWORK", name, 1);
        if (!run_kept(ranks, what, words))
            fprintf(stderr, "inkling: tune: messages between these hosts cannot go by %s; see above\n", name);
    }
    unsetenv("INKLING_NETWORK");
}

static bool tune_is_wanted(int collective)
{
    return !asked.wanted || asked.wanted >> collective & 1;
}

static void measure_all(void)
{
    char sizes[WORDS_SIZE], algorithms[WORDS_SIZE], *links[] = {"links", NULL};
    int all = 1, number = 1;
    bool goes_on;

    for (int c = 0; tune_collectives[c]; c++)
        all += tune_is_wanted(c) * asked.counts;
    goes_on = measure(number, all, asked.ranks[asked.counts - 1], "links", links);
    if (goes_on && network_is_open())
        measure_networks(asked.ranks[asked.counts - 1]);
    for (int i = 0; i < asked.counts; i++)
        for (int c = 0; tune_collectives[c] && goes_on; c++) {
            char *words[] = {"points", (char *)(uintptr_t)tune_collectives[c], algorithms, sizes, NULL};

            snprintf(sizes, sizeof sizes, "%s", c == 0 ? "8" : asked.sizes);
            list_algorithms(c, algorithms, sizeof algorithms);
            if (tune_is_wanted(c))
                goes_on = measure(++number, all, asked.ranks[i], tune_collectives[c], words);
        }
}

/* Writing, and measuring what was written. */

static int tune_write_file(void)
{
    char temporary[PLACE_SIZE + 16];
    FILE *out;

    snprintf(temporary, sizeof temporary, "%s.new", asked.output);
    out = fopen(temporary, "we");
    if (!out)
        return tune_complain("cannot write", temporary, strerror(errno));
    tune_write(&tune, out);
    if (fclose(out) || rename(temporary, asked.output))
        return tune_complain("cannot write", asked.output, strerror(errno));
    return 0;
}

static void add_size(char *list, size_t size, size_t bytes)
{
    char word[32];

    snprintf(word, sizeof word, "%s%zu", *list ? "," : "", bytes);
    if (strlen(list) + strlen(word) < size)
        strcat(list, word);
}

static int compare_sizes(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* The sizes to check of a collective on so many ranks: those that were measured, and the ends of the rules. "": there are no rules. */
static void list_checked(int ranks, int collective, char *list, size_t room)
{
    size_t size[64];
    int count = 0;
    bool has_rules = false;
    char sizes[WORDS_SIZE];

    *list = '\0';
    snprintf(sizes, sizeof sizes, "%s", collective == 0 ? "8" : asked.sizes);
    for (char *w = strtok(sizes, ","); w && count < 32; w = strtok(NULL, ","))
        size[count++] = strtoull(w, NULL, 10);
    for (int i = 0; i < tune.rules && count < 62; i++) {
        const struct tune_rule *r = &tune.rule[i];

        if (r->is_dropped || r->ranks != ranks || r->collective != collective)
            continue;
        has_rules = true;
        if (collective && r->from)
            size[count++] = (r->from + 7) / 8 * 8;
        if (collective)
            size[count++] = r->to / 8 * 8;
    }
    qsort(size, (size_t)count, sizeof *size, compare_sizes);
    for (int i = 0; i < count && has_rules; i++)
        if (i == 0 || size[i] != size[i - 1])
            add_size(list, room, size[i]);
}

/* Measures what the file changes; its points are in `checked`. */
static void check_file(struct tune *checked)
{
    char sizes[WORDS_SIZE];

    checked->points = 0;
    for (int i = 0; i < asked.counts; i++)
        for (int c = 0; tune_collectives[c]; c++) {
            char *words[] = {"check", (char *)(uintptr_t)asked.output, (char *)(uintptr_t)tune_collectives[c],
                             sizes, NULL};

            list_checked(asked.ranks[i], c, sizes, sizeof sizes);
            if (!*sizes)
                continue;
            fprintf(stderr, "checking %s on %d ranks\n", tune_collectives[c], asked.ranks[i]);
            if (!run_job(checked, NULL, asked.ranks[i], words))
                exit(1);
        }
}

static void print_network(void)
{
    const struct tune_network *best = tune_faster_network(&tune);

    for (int i = 0; i < TUNE_NETWORKS && best; i++)
        printf("network %-8s 8 bytes %.1f us, a MiB %.0f us%s\n", tune.network[i].name,
               tune.network[i].small * 1e6, tune.network[i].large * 1e6,
               &tune.network[i] == best ? "; taken" : "");
    if (best)
        printf("UCX believes everybody who connects over tcp: where others can reach this network, take the "
               "line "
               "\"inkling_network\" out of the file.\n");
}

static void print_result(const struct tune *checked)
{
    int kept = 0;

    print_network();
    for (int i = 0; i < tune.rules; i++)
        kept += !tune.rule[i].is_dropped;
    printf("%s has %d rules%s\n", asked.output, kept,
           kept ? "; measured once more, against the built-in ones:" : ".");
    if (kept)
        printf("%-16s%6s%10s%14s%14s%8s\n", "collective", "ranks", "bytes", "built-in, us", "rules, us",
               "ratio");
    for (int i = 0; i < checked->points && kept; i++) {
        const struct tune_point *p = &checked->point[i];

        printf("%-16s%6d%10zu%14.3f%14.3f%8.2f\n", tune_collectives[p->collective], p->ranks, p->bytes,
               p->base * 1e6, p->seconds * 1e6, p->ratio);
    }
}

/* A rule that is not confirmed is dropped, until all are. */
static int write_and_check(void)
{
    static struct tune checked;
    int error, dropped;

    checked.point = calloc(TUNE_POINTS, sizeof *checked.point);
    if (!checked.point)
        return 1;
    tune_make_rules(&tune);
    do {
        error = tune_write_file();
        if (error)
            return error;
        check_file(&checked);
        dropped = tune_drop(&tune, checked.point, checked.points);
        if (dropped)
            fprintf(stderr, "%d rules were not confirmed and are dropped\n", dropped);
    } while (dropped);
    print_result(&checked);
    free(checked.point);
    return 0;
}

/* The command line. */

static bool read_ranks(char *list)
{
    for (char *w = strtok(list, ","); w && asked.counts < MOST_RANKS; w = strtok(NULL, ",")) {
        char *end;
        long ranks = strtol(w, &end, 10);

        if (*end || ranks < 2 || ranks > 1 << 20)
            return false;
        asked.ranks[asked.counts++] = (int)ranks;
    }
    return asked.counts > 0;
}

static bool tune_read_sizes(const char *list)
{
    unsigned long long before = 0;

    for (const char *at = list; *at;) {
        char *end;
        unsigned long long size = strtoull(at, &end, 10);

        if (end == at || (*end && *end != ',') || size <= before || size > 64 << 20)
            return false;
        before = size;
        at = *end ? end + 1 : end;
    }
    asked.sizes = list;
    return before > 0 && strlen(list) < WORDS_SIZE / 2;
}

static int take_option(const char *option, char *value)
{
    char *end;

    if (strcmp(option, "--output") == 0)
        asked.output = value;
    else if (strcmp(option, "--ranks") == 0)
        return read_ranks(value) ? 0
                                 : tune_complain("--ranks is", value, "give numbers from 2 on, like 2,4,8");
    else if (strcmp(option, "--sizes") == 0)
        return tune_read_sizes(value)
                   ? 0
                   : tune_complain("--sizes is", value, "give growing numbers of bytes, like 8,1024,65536");
    else if (strcmp(option, "--minutes") == 0) {
        asked.minutes = strtod(value, &end);
        return !*end && asked.minutes > 0 ? 0 : tune_complain("--minutes is", value, "give a number above 0");
    } else if (strcmp(option, "--start") == 0) {
        for (char *w = strtok(value, " "); w && asked.starts < MOST_WORDS; w = strtok(NULL, " "))
            asked.start[asked.starts++] = w;
        return asked.starts ? 0 : tune_complain("--start is", value, "give a command, like \"srun -n\"");
    } else
        return tune_complain("there is no option", option, "see inkling tune --help");
    return 0;
}

static int take_words(char **words)
{
    for (; *words; words++) {
        int collective = 0, error;

        if (**words == '-') {
            error = words[1] ? take_option(words[0], words[1])
                             : tune_complain("nothing stands behind", *words, "see inkling tune --help");
            if (error)
                return error;
            words++;
            continue;
        }
        while (tune_collectives[collective] && strcmp(tune_collectives[collective], *words) != 0)
            collective++;
        if (!tune_collectives[collective])
            return tune_complain("there is no collective", *words, "`inkling coll` lists them");
        asked.wanted |= 1u << collective;
    }
    return 0;
}

static void fill_in_defaults(void)
{
    static char srun[] = "srun", option[] = "-n";
    struct install_place place;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    place_find(&place);
    snprintf(rank_program, sizeof rank_program, "%s/tune_rank", place.bin);
    snprintf(mpiexec, sizeof mpiexec, "%s/../../bin/mpiexec", place.bin);
    for (int ranks = 2; !asked.counts || (asked.ranks[asked.counts - 1] < ranks && ranks <= cores);
         ranks *= 2)
        asked.ranks[asked.counts++] = ranks;
    if (asked.starts)
        return;
    asked.start[0] = getenv("SLURM_JOB_ID") && !getenv("SLURM_PROCID") ? srun : mpiexec;
    asked.start[1] = option;
    asked.starts = 2;
}

int main(int argc, char **argv)
{
    int error;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        printf("%s", help);
        return 0;
    }
    began = clock_ns();
    error = take_words(argv + 1);
    if (error)
        return error;
    fill_in_defaults();
    tune.point = calloc(TUNE_POINTS, sizeof *tune.point);
    snprintf(part_name, sizeof part_name, "%s.part", asked.output);
    part = fopen(part_name, "a+e");
    if (!part || !tune.point)
        return tune_complain("cannot write", part_name, "name another file with --output");
    take_part();
    measure_all();
    error = write_and_check();
    fclose(part);
    if (!error && minutes_gone() <= asked.minutes)
        unlink(part_name);
    return error;
}
