#include "cmd/mpiexec/command_line/options.h"

#include "cmd/mpiexec/command_line/notices.h"
#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/launch/launch.h"
#include "hint/hint.h"
#include "hint/outside.h"
#include "plain/fail.h"
#include "plain/spelling.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/utsname.h>

enum {
    PROCESSES_MAX = 1000000,
    HINTS_SIZE = 64 * 1024 /* bytes of a file of hints, at most */
};

static const char setting_prefix[] = "INKLING_";

int settings_parse_number(const struct parse *p, const char *text, long min, long max, int *number)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (end == text || *end || errno || isspace((unsigned char)text[0]))
        return fail(MPI_ERR_OTHER, "-%s %.40s: a whole number is needed, such as -%s 4", p->name, text,
                    p->name);
    if (value < min || value > max)
        return fail(MPI_ERR_OTHER, "-%s %.40s: the number must be from %ld to %ld", p->name, text, min, max);
    *number = (int)value;
    return 0;
}

int settings_parse_choice(const struct parse *p, const char *text, const char *const *words, int *index)
{
    char all[128] = "";
    const char *near = NULL;
    int distance;

    for (int i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) == 0) {
            *index = i;
            return 0;
        }
        if (!near && spelling_is_near(text, words[i], &distance))
            near = words[i];
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", words[i]);
    }
    if (near)
        return fail(MPI_ERR_OTHER, "--%s %.64s: no such value; did you mean %s?", p->name, text, near);
    return fail(MPI_ERR_OTHER, "--%s %.64s: no such value; it is one of %s", p->name, text, all);
}

int settings_nothing(struct parse *p, char **value)
{
    (void)p;
    (void)value;
    return 0;
}

int settings_count(struct parse *p, char **value)
{
    p->app->is_counted = true;
    return settings_parse_number(p, value[0], 1, PROCESSES_MAX, &p->app->maxprocs);
}

int settings_appnum(struct parse *p, char **value)
{
    return settings_parse_number(p, value[0], 0, INT_MAX, &p->app->number);
}

int settings_parent(struct parse *p, char **value)
{
    p->job->parent = value[0];
    return 0;
}

int settings_soft(struct parse *p, char **value)
{
    p->app->soft = value[0];
    return 0;
}

int settings_wdir(struct parse *p, char **value)
{
    struct stat info;

    if (stat(value[0], &info) < 0)
        return fail(MPI_ERR_OTHER, "--%s %.200s: %s", p->name, value[0], strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return fail(MPI_ERR_OTHER, "--%s %.200s: that is not a directory", p->name, value[0]);
    p->app->wdir = value[0];
    return 0;
}

int settings_path(struct parse *p, char **value)
{
    p->app->path = value[0];
    return 0;
}

static int add_variable(const struct parse *p, struct words *set, const char *name, const char *value)
{
    if (!*name || strchr(name, '='))
        return fail(MPI_ERR_OTHER, "-%s: '%.64s' is no name of an environment variable", p->name, name);
    words_add(set, words_format("%s=%s", name, value));
    return 0;
}

int settings_env(struct parse *p, char **value)
{
    return add_variable(p, &p->app->set, value[0], value[1]);
}

int settings_genv(struct parse *p, char **value)
{
    return add_variable(p, &p->job->set, value[0], value[1]);
}

int settings_export(struct parse *p, char **value)
{
    char *equals = strchr(value[0], '=');

    if (equals && equals > value[0])
        words_add(&p->app->set, value[0]);
    else if (equals)
        return fail(MPI_ERR_OTHER, "-%s %.64s: there is no name before '='", p->name, value[0]);
    else if (!getenv(value[0]))
        notices_ignore(p->job, words_format("-%s %s", p->name, value[0]),
                       "mpiexec's environment has no such variable");
    return 0; /* the ranks get all of mpiexec's environment anyway */
}

int settings_host(struct parse *p, char **value)
{
    p->app->host = value[0];
    return host_names_check(value[0], p->name, &p->job->elsewhere);
}

int settings_hostfile(struct parse *p, char **value)
{
    p->job->hostfile = value[0];
    return host_names_check_file(value[0], &p->job->elsewhere);
}

int settings_arch(struct parse *p, char **value)
{
    struct utsname system = {0};

    if (uname(&system) < 0 || strcmp(system.machine, value[0]) != 0)
        return fail(MPI_ERR_OTHER,
                    "-%s %.64s: this host is %s, and this version starts ranks on one host only", p->name,
                    value[0], system.machine);
    p->app->arch = value[0];
    return 0;
}

int settings_errhandler(struct parse *p, char **value)
{
    static const char *const names[] = {"mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return",
                                        NULL};
    int index, error = settings_parse_choice(p, value[0], names, &index);

    if (!error)
        p->app->errhandler = value[0];
    return error;
}

int settings_thread_level(struct parse *p, char **value)
{
    static const char *const names[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                                        "MPI_THREAD_MULTIPLE", NULL};
    int index, error = settings_parse_choice(p, value[0], names, &index);

    if (!error)
        p->app->thread_level = value[0];
    return error;
}

/* Accepts "kind:restrictor,kind" without empty names and without spaces within one. Unsupported kinds are legal. */
int settings_kinds(struct parse *p, char **value)
{
    const char *c = value[0];

    while (*c && !p->job->is_spawned) { /* what a spawning program requests is a hint and cannot be wrong */
        size_t length = strcspn(c, ",");
        size_t name = strcspn(c + strspn(c, " "), " ,:");

        if (name == 0 && length > 0)
            return fail(MPI_ERR_OTHER, "--%s '%.80s': a kind is missing; try mpi,system", p->name, value[0]);
        c += length + (c[length] == ',');
    }
    p->app->kinds = value[0];
    return 0;
}

static int parse_timeout(struct job *job, const char *source, const char *text)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end || !(seconds > 0) || seconds > 1e9)
        return fail(MPI_ERR_OTHER, "%s %.40s: a number of seconds above 0 is needed, such as 60", source,
                    text);
    job->timeout = seconds;
    job->timeout_source = source;
    return 0;
}

int settings_timeout(struct parse *p, char **value)
{
    return parse_timeout(p->job, "--timeout", value[0]);
}

/* Hydra's SYSTEM is the default, and INFINITE more than a program can start. */
int settings_universe(struct parse *p, char **value)
{
    bool is_infinite = strcasecmp(value[0], "infinite") == 0;

    if (is_infinite || strcasecmp(value[0], "system") == 0) {
        p->job->universe_size = is_infinite ? INT_MAX : 0;
        return 0;
    }
    return settings_parse_number(p, value[0], 1, INT_MAX, &p->job->universe_size);
}

/* NAME=VALUE or INKLING_NAME=VALUE, in any case. It becomes an environment variable. */
int settings_setting(struct parse *p, char **value)
{
    char *equals = strchr(value[0], '='), *variable;
    bool prefixed = strncasecmp(value[0], setting_prefix, sizeof setting_prefix - 1) == 0;
    int error;

    if (!equals || equals == value[0])
        return fail(MPI_ERR_OTHER, "--%s %.64s: NAME=VALUE is needed; `inkling hints` lists the names",
                    p->name, value[0]);
    variable = words_format("%s%s", prefixed ? "" : setting_prefix, value[0]);
    for (char *c = variable; *c != '='; c++)
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    words_add(&p->job->set, variable);
    equals = strchr(variable, '=');
    *equals = 0;
    error = hint_process_set(variable, equals + 1);
    *equals = '=';
    return error;
}

static const char hints_variable[] = "INKLING_HINTS=";

/* Adds lines to those that are there. `source` names them in the note of an error. */
static int settings_add_hints(struct job *job, const char *source, const char *lines)
{
    size_t length = sizeof hints_variable - 1;
    int error = outside_check(source, lines);

    if (error)
        return error;
    for (int i = 0; i < job->set.count; i++)
        if (strncmp(job->set.word[i], hints_variable, length) == 0) {
            job->set.word[i] = words_format("%s\n%s", job->set.word[i], lines);
            return 0;
        }
    words_add(&job->set, words_format("%s%s", hints_variable, lines));
    return 0;
}

int settings_hint(struct parse *p, char **value)
{
    return settings_add_hints(p->job, "--hint", value[0]);
}

/* The whole file. The caller frees it; NULL: it cannot be read. */
static char *read_hints(FILE *in)
{
    char *text = words_allocate(HINTS_SIZE + 1);
    size_t bytes = fread(text, 1, HINTS_SIZE + 1, in);

    if (bytes <= HINTS_SIZE && !ferror(in)) {
        text[bytes] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

/* Leaves only the lines that give hints, so that reports and environments are short. */
static void drop_comments(char *text)
{
    char *to = text;

    for (char *line = text; *line;) {
        size_t length = strcspn(line, "\n"), blank = strspn(line, " \t\r");
        char *next = line + length + (line[length] == '\n');

        if (blank < length && line[blank] != '#') {
            if (to > text)
                *to++ = '\n';
            memmove(to, line, length);
            to += length;
        }
        line = next;
    }
    *to = '\0';
}

int settings_hints(struct parse *p, char **value)
{
    FILE *in = fopen(value[0], "r");
    char *text = in ? read_hints(in) : NULL;
    int error;

    if (in)
        fclose(in);
    if (!text)
        return fail(MPI_ERR_OTHER, "--hints %.200s: %s", value[0],
                    in ? "it cannot be read, or has more than 64 KiB" : strerror(errno));
    error = outside_check(value[0], text); /* lines are numbered as in the file */
    drop_comments(text);
    if (!error)
        error = settings_add_hints(p->job, value[0], text);
    free(text);
    return error;
}

int settings_hints_report(struct parse *p, char **value)
{
    const char *how = value[0] ? value[0] : "text";
    char first[] = "HINTS_REPORT=first", all[] = "HINTS_REPORT=all";
    char *words[] = {strcmp(how, "all") == 0 ? all : first, NULL};

    if (strncmp(how, "json:", 5) == 0 && how[5])
        p->job->hints_report = how + 5;
    else if (strcmp(how, "text") != 0 && strcmp(how, "all") != 0)
        return fail(MPI_ERR_OTHER, "--hints-report=%.64s: text, all or json:FILE is needed", how);
    return settings_setting(p, words);
}

int settings_survive(struct parse *p, char **value)
{
    char setting[] = "SURVIVE=true", *words[] = {setting, NULL};

    (void)value;
    return settings_setting(p, words);
}

int settings_stats(struct parse *p, char **value)
{
    char setting[] = "STATS=true", *words[] = {setting, NULL};

    (void)value;
    return settings_setting(p, words);
}

static bool is_check_form(const char *form, size_t length)
{
    return (length == 4 && strncmp(form, "text", 4) == 0) || (length > 5 && strncmp(form, "json:", 5) == 0) ||
           (length > 6 && strncmp(form, "sarif:", 6) == 0) ||
           (length > 9 && strncmp(form, "suppress:", 9) == 0);
}

/* Several forms are all written: with commas between, or of several options. */
static int take_check(struct job *job, const char *name, const char *how)
{
    for (size_t at = 0, length; at == 0 || how[at - 1] == ','; at += length + 1) {
        length = insight_check_form(how + at);
        if (!is_check_form(how + at, length))
            return fail(MPI_ERR_OTHER, "%s=%.64s: text, json:FILE, sarif:FILE or suppress:FILE is needed",
                        name, how + at);
        if (insight_check_suppressions(name, how + at, length))
            return fail_class();
    }
    job->check = job->check ? words_format("%s,%s", job->check, how) : how;
    return 0;
}

int settings_check_run(struct parse *p, char **value)
{
    return take_check(p->job, "--check", value[0] ? value[0] : "text");
}

/* INKLING_CHECK, which the command line goes before. */
static int take_check_setting(struct job *job)
{
    const char *how = hint_text(&hint_process, HINT_CHECK);

    if (job->check || !how || strcmp(how, "0") == 0)
        return 0;
    return take_check(job, "INKLING_CHECK", strcmp(how, "1") == 0 ? "text" : how);
}

int settings_advise(struct parse *p, char **value)
{
    const char *folder = value[0] ? value[0] : "inkling-advice";

    if (!*folder)
        return fail(MPI_ERR_OTHER, "--advise=: the name of a folder is needed");
    p->job->advise = folder;
    return 0;
}

/* Checks the settings that -env and -x make like mpiexec's own. */
static int settings_check_settings(const struct words *set)
{
    for (int i = 0; i < set->count; i++) {
        char *equals = strchr(set->word[i], '=');
        int error = 0;

        if (strncmp(set->word[i], setting_prefix, sizeof setting_prefix - 1) != 0)
            continue;
        *equals = 0;
        error = hint_process_set(set->word[i], equals + 1);
        *equals = '=';
        if (error)
            return error;
    }
    return 0;
}

static long limit_to(long number, long most)
{
    return number > most ? most : number < -most ? -most : number;
}

/* Splits "a", "a:b" or "a:b:c" into numbers. Returns how many; 0: malformed. */
static int cut_triplet(const char *text, long number[3])
{
    for (int count = 0; count < 3;) {
        char *end;

        number[count] = strtol(text, &end, 10);
        if (end == text)
            return 0;
        number[count] = limit_to(number[count], PROCESSES_MAX + 1);
        count++;
        end += strspn(end, " ");
        if (!*end)
            return count;
        if (*end != ':')
            return 0;
        text = end + 1;
    }
    return 0;
}

/* The largest number of the triplet that is at most `limit`; -1: malformed, 0: none. */
static long largest_of(const char *triplet, long limit)
{
    long number[3] = {0}, a, b, c, steps, largest;
    int given = cut_triplet(triplet, number);

    a = number[0];
    b = given > 1 ? number[1] : a;
    c = given > 2 ? number[2] : 1;
    if (given == 0 || c == 0)
        return -1;
    if (c < 0 && a >= b) { /* a, a+c, ..., down to b: reversed */
        steps = (a - b) / -c;
        c = -c;
        b = a;
        a = a - steps * c;
    }
    if (a > limit || b < a)
        return 0;
    steps = ((b < limit ? b : limit) - a) / c;
    largest = a + steps * c;
    return largest > 0 ? largest : 0;
}

static int choose_count(struct app *app)
{
    char *copy, *rest = NULL;
    long best = 0;

    app->count = app->maxprocs;
    if (!app->soft)
        return 0;
    copy = words_format("%s", app->soft);
    for (char *part = strtok_r(copy, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        long number = largest_of(part, app->maxprocs);

        if (number < 0)
            return fail(MPI_ERR_OTHER, "-soft %.64s: '%.32s' is none of n, a:b, a:b:step", app->soft, part);
        if (number > best)
            best = number;
    }
    if (best == 0)
        return fail(MPI_ERR_OTHER, "-soft %.64s allows no number of processes from 1 to -n %d", app->soft,
                    app->maxprocs);
    app->count = (int)best;
    return 0;
}

static int check_app(struct job *job, struct app *app)
{
    int error = choose_count(app);

    if (!error)
        error = settings_check_settings(&app->set);
    if (!error)
        error = program_find(app);
    if (!error && app->count > PROCESSES_MAX - job->size)
        return fail(MPI_ERR_OTHER, "more than %d processes are asked for", PROCESSES_MAX);
    job->size += app->count;
    return error;
}

int settings_check(struct job *job)
{
    const char *limit = getenv("MPIEXEC_TIMEOUT");
    int error = 0;

    if (job->timeout == 0 && limit && *limit)
        error = parse_timeout(job, "MPIEXEC_TIMEOUT", limit);
    if (!error)
        error = hint_process_init();
    if (!error)
        error = settings_check_peers(job);
    if (!error)
        error = settings_check_settings(&job->set);
    if (!error)
        error = take_check_setting(job);
    if (!error)
        error = settings_count_places(job);
    for (int i = 0; i < job->apps && !error; i++)
        error = check_app(job, &job->app[i]);
    if (!error)
        error = settings_check_places(job);
    return error ? error : settings_check_output(job);
}
