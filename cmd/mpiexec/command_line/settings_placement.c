#include "cmd/mpiexec/command_line/notices.h"
#include "cmd/mpiexec/command_line/options.h"
#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/launch/launch.h"
#include "plain/fail.h"

#include <ctype.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    PER_HOST_MAX = 1000000
};

/* The words of the launchers for the parts of a machine. A slot is a core, and on this host a node is all of it. */
static const char *const level_words[] = {"core",    "socket", "hwthread", "numa",    "l2cache",
                                          "l3cache", "node",   "slot",     "package", "l1cache",
                                          "machine", "board",  "seq",      NULL};
static const enum level level_of_word[] = {
    LEVEL_CORE, LEVEL_SOCKET, LEVEL_HWTHREAD, LEVEL_NUMA,    LEVEL_L2,      LEVEL_L3,     LEVEL_MACHINE,
    LEVEL_CORE, LEVEL_SOCKET, LEVEL_CORE,     LEVEL_MACHINE, LEVEL_MACHINE, LEVEL_MACHINE};

static int parse_level(const struct parse *p, const char *text, enum level *level)
{
    int index = 0, error = settings_parse_choice(p, text, level_words, &index);

    if (!error)
        *level = level_of_word[index];
    return error;
}

/* What follows the object behind a colon: of Open MPI's launcher words, of Hydra's a number of cores. */
static int take_modifier(struct parse *p, const char *word)
{
    static const char *const without_effect[] = {
        "span", "inherit", "noinherit", "if-supported", "ordered", "corecpus", "fill", "no-overload", NULL};
    struct placement *place = &p->job->place;
    int number = 0;

    for (int i = 0; without_effect[i]; i++)
        if (strcasecmp(word, without_effect[i]) == 0)
            return 0;
    if (strncasecmp(word, "pe=", 3) == 0 || isdigit((unsigned char)*word)) {
        int error = settings_parse_number(p, word + (isdigit((unsigned char)*word) ? 0 : 3), 1, PER_HOST_MAX,
                                          &number);

        if (!error)
            place->width = number;
        return error;
    }
    if (strcasecmp(word, "oversubscribe") == 0 || strcasecmp(word, "overload-allowed") == 0)
        place->may_overload = true;
    else if (strcasecmp(word, "nooversubscribe") == 0)
        place->is_crowd_error = true;
    else if (strcasecmp(word, "hwtcpus") == 0)
        place->takes_threads = true;
    else if (strcasecmp(word, "nolocal") == 0)
        place->leaves_out_own = true;
    else if (strcasecmp(word, "report") == 0)
        place->is_reported = true;
    else
        return fail(MPI_ERR_OTHER,
                    "--%s: '%.32s' is no modifier; there are PE=N, OVERSUBSCRIBE, NOOVERSUBSCRIBE, "
                    "HWTCPUS, SPAN, NOLOCAL and overload-allowed",
                    p->name, word);
    return 0;
}

/* What is behind the first colon of `text`, which this cuts off; NULL: there is none. */
static char *cut_modifiers(char *text)
{
    char *colon = strchr(text, ':');

    if (!colon)
        return NULL;
    *colon = 0;
    return colon + 1;
}

/* NULL: there are none. */
static int take_modifiers(struct parse *p, char *rest)
{
    char *word;
    int error = 0;

    while (!error && rest && (word = strtok_r(NULL, ":,", &rest)))
        error = take_modifier(p, word);
    return error;
}

static char *lower(const char *text)
{
    char *copy = words_format("%s", text);

    for (char *c = copy; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return copy;
}

int settings_bind(struct parse *p, char **value)
{
    static const char *const names[] = {"none",    "core",     "socket",  "auto",    "hwthread", "numa",
                                        "l2cache", "l3cache",  "package", "l1cache", "machine",  "board",
                                        "node",    "cpu-list", "rr",      NULL};
    static const enum level levels[] = {LEVELS,         LEVEL_CORE, LEVEL_SOCKET,  LEVELS,
                                        LEVEL_HWTHREAD, LEVEL_NUMA, LEVEL_L2,      LEVEL_L3,
                                        LEVEL_SOCKET,   LEVEL_CORE, LEVEL_MACHINE, LEVEL_MACHINE,
                                        LEVEL_MACHINE,  LEVEL_CORE, LEVEL_CORE};
    struct placement *place = &p->job->place;
    char *text = lower(value[0]), *modifiers = cut_modifiers(text);
    int index = 0, error = settings_parse_choice(p, text, names, &index);

    if (!error)
        error = take_modifiers(p, modifiers);
    free(text);
    if (error)
        return error;
    place->bind = index == 0 ? BIND_NONE : index == 3 ? BIND_AUTO : BIND_TO;
    place->bind_level = levels[index];
    if (place->bind_level == LEVEL_HWTHREAD)
        place->takes_threads = true;
    return 0;
}

/* --bind-to-core and its like: the value is in the name. */
int settings_bind_named(struct parse *p, char **value)
{
    char *word = (char *)p->name + strlen("bind-to-");

    (void)value;
    return settings_bind(p, &word);
}

/* ppr:N:OBJECT, which `text` is without its first word. */
static int take_each(struct parse *p, char *text)
{
    struct placement *place = &p->job->place;
    char *object = cut_modifiers(text), *modifiers = object ? cut_modifiers(object) : NULL;
    int error;

    if (!object)
        return fail(MPI_ERR_OTHER, "--%s ppr:%.32s: ppr:N:OBJECT is needed, such as ppr:2:socket", p->name,
                    text);
    error = settings_parse_number(p, text, 1, PER_HOST_MAX, &place->each);
    if (!error)
        error = parse_level(p, object, &place->map_level);
    if (!error)
        error = take_modifiers(p, modifiers);
    if (!error && place->map_level == LEVEL_MACHINE)
        place->per_host = place->each;
    if (place->map_level == LEVEL_HWTHREAD)
        place->takes_threads = true;
    place->is_exact = true;
    return error;
}

/* An object of the machine, or Open MPI 5's pe-list=CORES; "": modifiers alone are given. */
static int take_object(struct parse *p, char *text)
{
    char *cores = text + strlen("pe-list=");

    if (strncmp(text, "pe-list=", strlen("pe-list=")) == 0)
        return settings_cores(p, &cores);
    return *text ? parse_level(p, text, &p->job->place.map_level) : 0;
}

int settings_map(struct parse *p, char **value)
{
    struct placement *place = &p->job->place;
    char *text = lower(value[0]), *modifiers; /* `text` stays: places may name its cores */
    int error;

    place->map = value[0];
    place->map_level = LEVEL_CORE;
    place->each = 0;
    if (strncmp(text, "ppr:", 4) == 0)
        return take_each(p, text + 4);
    modifiers = cut_modifiers(text);
    error = take_object(p, text);
    if (!error)
        error = take_modifiers(p, modifiers);
    if (place->map_level == LEVEL_HWTHREAD)
        place->takes_threads = true;
    return error;
}

/* --bycore and its like. */
int settings_map_named(struct parse *p, char **value)
{
    char *word = (char *)p->name + strlen("by");

    (void)value;
    return settings_map(p, &word);
}

/* Open MPI 5's fill and span are slot, and one of each object that --map-by names. */
int settings_rank_by(struct parse *p, char **value)
{
    struct placement *place = &p->job->place;
    char *text = lower(value[0]), *modifiers = cut_modifiers(text);
    int error = 0;

    place->rank = strcmp(text, "fill") == 0 ? "slot" : value[0];
    place->ranks_span = strcmp(text, "span") == 0;
    if (!place->ranks_span)
        error = parse_level(p, strcmp(text, "fill") == 0 ? "slot" : text, &place->rank_level);
    if (!error)
        error = take_modifiers(p, modifiers);
    free(text);
    return error;
}

/* -ppn and -perhost wrap round where there are more ranks, as Hydra does; -rr is one. */
int settings_per_host(struct parse *p, char **value)
{
    p->job->place.per_host = 1;
    return !value[0] ? 0 : settings_parse_number(p, value[0], 1, PER_HOST_MAX, &p->job->place.per_host);
}

/* -N, --npernode and --pernode are exact, as Open MPI has them. */
int settings_per_node(struct parse *p, char **value)
{
    p->job->place.is_exact = true;
    if (value[0])
        return settings_per_host(p, value);
    p->job->place.per_host = 1;
    return 0;
}

int settings_per_socket(struct parse *p, char **value)
{
    char *word = words_format("ppr:%s:socket", value[0]);

    return settings_map(p, &word);
}

int settings_ppr(struct parse *p, char **value)
{
    char *word = words_format("ppr:%s", value[0]);

    return settings_map(p, &word);
}

int settings_width(struct parse *p, char **value)
{
    return settings_parse_number(p, value[0], 1, PER_HOST_MAX, &p->job->place.width);
}

int settings_cores(struct parse *p, char **value)
{
    if (!*value[0] || strspn(value[0], "0123456789,-") != strlen(value[0]) ||
        !isdigit((unsigned char)*value[0]))
        return fail(MPI_ERR_OTHER, "--%s %.64s: numbers of cores are needed, such as 0,4-7", p->name,
                    value[0]);
    p->job->place.cores = value[0];
    return 0;
}

int settings_placing(struct parse *p, char **value)
{
    struct placement *place = &p->job->place;

    (void)value;
    if (strcmp(p->name, "nooversubscribe") == 0)
        place->is_crowd_error = true;
    else if (strcmp(p->name, "use-hwthread-cpus") == 0)
        place->takes_threads = true;
    else if (strcmp(p->name, "report-bindings") == 0)
        place->is_reported = true;
    else if (strcmp(p->name, "do-not-launch") == 0)
        place->is_shown = place->is_only_shown = true;
    else if (strcmp(p->name, "nolocal") == 0 || strcmp(p->name, "skip-launch-node") == 0)
        place->leaves_out_own = true;
    else
        place->is_shown = true;
    return 0;
}

/* --display of Open MPI 5: a list. */
int settings_display(struct parse *p, char **value)
{
    char *copy = words_format("%s", value[0]), *rest = NULL;

    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (strncmp(word, "map", 3) == 0)
            p->job->place.is_shown = true;
        else if (strncmp(word, "bind", 4) == 0)
            p->job->place.is_reported = true;
        else
            notices_ignore(p->job, words_format("--display %s", word), "only map and bind are shown");
    }
    free(copy);
    return 0;
}

/* The hosts that are named, as words "name:slots". */
static int read_named_hosts(const struct job *job, struct words *hosts)
{
    return job->app->host  ? host_names_read(job->app->host, hosts)
           : job->hostfile ? host_names_read_file(job->hostfile, hosts)
                           : 0;
}

/* The sum of the slots of the hosts that are named, as many as the other launchers start without -n; 1 if none are, or on error. */
static int count_slots(const struct job *job)
{
    struct words hosts = {0};
    int error = read_named_hosts(job, &hosts), slots = 0;

    for (int i = 0; i < hosts.count && !error; i++) {
        char *colon = strrchr(hosts.word[i], ':');

        *colon = 0;
        if (!job->place.leaves_out_own || !host_names_is_own(hosts.word[i]))
            slots += atoi(colon + 1);
    }
    return slots > 0 ? slots : 1;
}

/* The number of hosts; on error, 0. */
static int count_named_hosts(const struct job *job)
{
    struct words hosts = {0};
    int error = job->elsewhere ? read_named_hosts(job, &hosts) : 0;
    int count = 0;

    for (int i = 0; i < hosts.count; i++) {
        int other = 0;
        size_t length = strcspn(hosts.word[i], ":") + 1;

        while (other < i && strncmp(hosts.word[other], hosts.word[i], length) != 0)
            other++;
        count += other == i;
    }
    return error ? 0 : count ? count : 1;
}

int settings_count_places(struct job *job)
{
    const struct placement *place = &job->place;
    int hosts, places;

    if (!place->is_exact && job->apps == 1 && !job->app->is_counted && !job->is_spawned)
        job->app->maxprocs = count_slots(job);
    if (!place->per_host && !place->each)
        return 0;
    hosts = count_named_hosts(job);
    places =
        hosts * (place->per_host ? place->per_host : place->each * cores_objects(place, place->map_level));
    for (int i = 0; i < job->apps; i++)
        if (!job->app[i].is_counted && place->is_exact)
            job->app[i].maxprocs = places;
    return 0;
}

int settings_check_places(const struct job *job)
{
    const struct placement *place = &job->place;
    int limit = 0, error = 0,
        places = place->each ? place->each * cores_objects(place, place->map_level) : place->per_host;

    if (place->is_exact && !job->elsewhere && job->size > places)
        return fail(MPI_ERR_OTHER,
                    "%d ranks, but --map-by %.40s has room for %d on this host; name more with --hosts, or "
                    "start fewer",
                    job->size, place->map ? place->map : words_format("ppr:%d:node", place->per_host),
                    places);
    if (place->leaves_out_own && !job->elsewhere)
        return fail(MPI_ERR_OTHER, "--nolocal: this host is the only one; name others with --hosts");
    if (job->hostfile)
        error = host_names_limit(job->hostfile, &limit);
    if (!error && limit && job->size > limit)
        return fail(MPI_ERR_OTHER, "%d ranks, but the max_slots of '%s' allow %d; start fewer, or raise them",
                    job->size, job->hostfile, limit);
    return error;
}
