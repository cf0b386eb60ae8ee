#include "cmd/mpiexec/launch/launch.h"

#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/launch/dealing.h"
#include "plain/cpu.h"
#include "plain/fail.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    CPUS_MAX = 8192
};

static size_t cores_set_size(void)
{
    return CPU_ALLOC_SIZE(CPUS_MAX);
}

static cpu_set_t *new_set(void)
{
    return words_allocate(cores_set_size());
}

/* The first number in a file of the kernel's about this logical core; `absent` if there is no such file. */
static int cores_read_number(int cpu, const char *name, int absent)
{
    char path[96], text[16];
    int fd, number = absent;
    ssize_t n;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return absent;
    n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n > 0) {
        text[n] = 0;
        number = atoi(text);
    }
    return number;
}

/* The kernel has a link to it in the folder of the logical core. */
static int numa_node_of(int cpu)
{
    char path[96];
    DIR *folder;
    int node = 0;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d", cpu);
    folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strncmp(entry->d_name, "node", 4) == 0 && isdigit((unsigned char)entry->d_name[4]))
            node = atoi(entry->d_name + 4);
    if (folder)
        closedir(folder);
    return node;
}

/* Only what is asked for is read: a job whose ranks are not placed by memory or cache does not wait for it. */
static struct core thread_of(int cpu, bool has_all)
{
    struct core c = {.threads = new_set()};

    c.at[LEVEL_HWTHREAD] = cpu;
    c.at[LEVEL_CORE] = cores_read_number(cpu, "topology/thread_siblings_list", cpu);
    c.at[LEVEL_SOCKET] = cores_read_number(cpu, "topology/physical_package_id", 0);
    if (has_all) {
        c.at[LEVEL_L2] = cores_read_number(cpu, "cache/index2/shared_cpu_list", c.at[LEVEL_CORE]);
        c.at[LEVEL_L3] = cores_read_number(cpu, "cache/index3/shared_cpu_list", c.at[LEVEL_SOCKET]);
        c.at[LEVEL_NUMA] = numa_node_of(cpu);
    }
    return c;
}

static cpu_set_t *usable(void)
{
    cpu_set_t *set = new_set();

    if (sched_getaffinity(0, cores_set_size(), set) < 0)
        CPU_SET_S(0, cores_set_size(), set);
    return set;
}

int cores_count(void)
{
    cpu_set_t *set = usable();
    int count = CPU_COUNT_S(cores_set_size(), set);

    free(set);
    return count;
}

/* Adds the logical core to the one that it is a thread of, unless threads count as cores. */
static void list_core(struct core *core, int *count, int cpu, const struct placement *place)
{
    struct core found = thread_of(cpu, place->map || place->rank || place->bind == BIND_TO);
    int i = *count;

    if (!place->takes_threads)
        for (i = 0; i < *count && core[i].at[LEVEL_CORE] != found.at[LEVEL_CORE]; i++)
            ;
    if (i == *count)
        core[(*count)++] = found;
    else
        free(found.threads);
    CPU_SET_S(cpu, cores_set_size(), core[i].threads);
}

/* The cores that the ranks may have, sorted. */
static struct core *list_cores(const struct placement *place, int *count)
{
    cpu_set_t *set = usable();
    struct core *core = words_allocate((size_t)CPU_COUNT_S(cores_set_size(), set) * sizeof *core);

    *count = 0;
    for (int cpu = 0; cpu < CPUS_MAX; cpu++)
        if (CPU_ISSET_S(cpu, cores_set_size(), set) && (!place->cores || cpu_list_has(place->cores, cpu)))
            list_core(core, count, cpu, place);
    free(set);
    dealing_sort(core, *count);
    return core;
}

/* Claims a core with a socket of an abstract name. The kernel releases it however mpiexec ends. */
static int cores_claim(int cpu)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "inkling-core-%d", cpu);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    if (bind(fd, (struct sockaddr *)&name,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Moves the first `wanted` free cores to the front and claims them, or claims none. */
static bool claim_cores(struct core *core, int count, int wanted)
{
    int *claimed = words_allocate((size_t)wanted * sizeof *claimed);
    int found = 0;

    for (int i = 0; i < count && found < wanted; i++) {
        int fd = cores_claim(core[i].at[LEVEL_CORE]);

        if (fd >= 0) {
            struct core free_core = core[i];

            memmove(core + found + 1, core + found, (size_t)(i - found) * sizeof *core);
            core[found] = free_core;
            claimed[found++] = fd;
        }
    }
    for (int i = 0; found < wanted && i < found; i++)
        close(claimed[i]);
    free(claimed);
    return found == wanted;
}

static cpu_set_t *cores_set_of(struct job *job, int rank)
{
    return (cpu_set_t *)((char *)job->cores + (size_t)rank * job->cores_size);
}

static void allocate_sets(struct job *job)
{
    job->cores_size = cores_set_size();
    job->cores = words_allocate((size_t)job->size * job->cores_size);
}

/* Lets the rank run on all cores that are in one object of the level with this one. */
static void widen_to(struct job *job, int rank, const struct core *core, int count, int own, enum level level)
{
    for (int i = 0; i < count; i++)
        if (core[i].at[level] == core[own].at[level])
            CPU_OR_S(cores_set_size(), cores_set_of(job, rank), cores_set_of(job, rank), core[i].threads);
}

static void bind_ranks(struct job *job, const struct core *core, int count, const int *first, int width)
{
    enum level unit = job->place.takes_threads ? LEVEL_HWTHREAD : LEVEL_CORE;
    bool is_wide = job->place.bind == BIND_TO && job->place.bind_level > unit;

    allocate_sets(job);
    for (int rank = 0; rank < job->size; rank++)
        for (int i = first[rank]; i < first[rank] + width && i < count; i++)
            if (is_wide)
                widen_to(job, rank, core, count, i, job->place.bind_level);
            else
                CPU_OR_S(cores_set_size(), cores_set_of(job, rank), cores_set_of(job, rank), core[i].threads);
}

/* What the options of placement come to. Without --map-by, ranks are in blocks, one beside the other. */
static struct dealing choose_dealing(const struct placement *place)
{
    bool is_wide = place->bind == BIND_TO && place->bind_level > LEVEL_CORE;
    struct dealing m = {.map = is_wide ? place->bind_level : LEVEL_MACHINE,
                        .width = place->width ? place->width : place->bind == BIND_TO,
                        .rank_level = !place->rank        ? -1
                                      : place->ranks_span ? (int)place->map_level
                                                          : (int)place->rank_level,
                        .is_by_slot = place->rank && strncasecmp(place->rank, "slot", 4) == 0};

    if (place->map) {
        m.map = place->map_level;
        m.each = place->each;
        m.deal = place->each ? DEAL_EACH : DEAL_TURNS;
    }
    if (m.map <= LEVEL_CORE && !m.each)
        m.map = LEVEL_MACHINE; /* one core after the other */
    return m;
}

/* Lets other jobs know. One that has a core already keeps it. */
static void claim_dealt(const struct core *core, int count, const int *first, int ranks, int width)
{
    for (int rank = 0; rank < ranks; rank++)
        for (int i = first[rank]; i < first[rank] + width && i < count; i++)
            cores_claim(core[i].at[LEVEL_CORE]);
}

/* Each rank's first core. False: the ranks are not bound. */
static bool assign(struct job *job, struct core *core, int count, int *first, int *width)
{
    const struct placement *place = &job->place;
    struct dealing m = choose_dealing(place);
    bool is_plain = !place->map && !place->rank && m.map == LEVEL_MACHINE && !place->takes_threads;
    bool is_clear = dealing_assign(core, count, job->size, &m, first, width);

    if (place->bind == BIND_AUTO && !is_clear)
        return false;
    if (is_plain && is_clear && !claim_cores(core, count, job->size * *width) && place->bind == BIND_AUTO &&
        !place->width)
        return false; /* others have them, and the user has not asked for any */
    if (!is_plain && (place->bind == BIND_AUTO || place->bind_level <= LEVEL_CORE))
        claim_dealt(core, count, first, job->size, *width);
    return true;
}

/* Why ranks cannot be bound as asked for; 0: they can. */
static int check_room(const struct job *job, const struct core *core, int count)
{
    const struct placement *place = &job->place;
    struct dealing m = choose_dealing(place);
    int *first = words_allocate((size_t)job->size * sizeof *first), width;
    bool is_clear = dealing_assign(core, count, job->size, &m, first, &width);

    free(first);
    if (is_clear || place->may_overload || place->bind != BIND_TO || place->bind_level > LEVEL_CORE)
        return 0;
    return fail(MPI_ERR_OTHER,
                "--bind-to %s: %d ranks%s%s need %d cores and there are %d; use --bind-to none",
                place->bind_level == LEVEL_CORE ? "core" : "hwthread", job->size,
                place->map ? " by --map-by " : "", place->map ? place->map : "", job->size * width, count);
}

int cores_objects(const struct placement *place, enum level level)
{
    struct placement all = *place;
    int count, objects;
    struct core *core;

    all.takes_threads = place->takes_threads || level == LEVEL_HWTHREAD;
    core = list_cores(&all, &count);
    objects = dealing_objects(core, count, level);
    for (int i = 0; i < count; i++)
        free(core[i].threads);
    free(core);
    return objects;
}

/* All ranks may use all of these. */
static void bind_to_all(struct job *job, const struct core *core, int count)
{
    allocate_sets(job);
    for (int rank = 0; rank < job->size; rank++)
        widen_to(job, rank, core, count, 0, LEVEL_MACHINE);
}

int cores_assign(struct job *job)
{
    const struct placement *place = &job->place;
    bool is_asked = place->map || place->width || place->bind == BIND_TO;
    struct core *core;
    int count, width, error, *first;

    if (place->is_crowd_error && job->size > cores_count())
        return fail(MPI_ERR_OTHER, "--nooversubscribe: %d ranks, but %d cores; leave it out, or start fewer",
                    job->size, cores_count());
    if (place->bind == BIND_NONE && !place->cores)
        return 0;
    if (!is_asked && !place->cores && (job->size == 1 || cores_count() < job->size))
        return 0;
    core = list_cores(place, &count);
    if (count == 0)
        return fail(MPI_ERR_OTHER,
                    "--cpu-set %.64s: mpiexec may use none of these; `taskset -p $$` lists them",
                    place->cores);
    error = check_room(job, core, count);
    first = words_allocate((size_t)job->size * sizeof *first);
    if (!error && place->bind != BIND_NONE && assign(job, core, count, first, &width))
        bind_ranks(job, core, count, first, width);
    else if (!error && place->cores)
        bind_to_all(job, core, count);
    free(first);
    return error;
}

/* A list such as 0,4-7; "any": the rank is not bound. */
static char *name_cores(const struct job *job, int rank)
{
    char *list = words_format("%s", "");
    const cpu_set_t *set;

    if (!job->cores)
        return words_format("any");
    set = (cpu_set_t *)((char *)job->cores + (size_t)rank * job->cores_size);
    for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
        int last = cpu;
        char *before = list;

        if (!CPU_ISSET_S(cpu, job->cores_size, set))
            continue;
        while (last + 1 < CPUS_MAX && CPU_ISSET_S(last + 1, job->cores_size, set))
            last++;
        list = last > cpu ? words_format("%s%s%d-%d", before, *before ? "," : "", cpu, last)
                          : words_format("%s%s%d", before, *before ? "," : "", cpu);
        free(before);
        cpu = last;
    }
    return list;
}

void cores_report(const struct job *job)
{
    for (int rank = 0; rank < job->size; rank++) {
        char *cores = name_cores(job, rank);

        fprintf(stderr, "mpiexec: rank %d on host %s: cores %s", rank, job->host, cores);
        fprintf(stderr, job->place.is_shown ? ", %s\n" : "\n", job->rank[rank].app->argv.word[0]);
        free(cores);
    }
}
