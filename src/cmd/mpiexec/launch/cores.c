#include "cmd/mpiexec/launch/launch.h"

#include "cmd/mpiexec/command_line/words.h"
#include "plain/fail.h"

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

/* A core: the hardware threads of it that mpiexec may use. */
struct core {
    int package, first; /* first: lowest numbered hardware thread, usable or not */
    cpu_set_t *threads;
};

static size_t cores_set_size(void)
{
    return CPU_ALLOC_SIZE(CPUS_MAX);
}

static cpu_set_t *new_set(void)
{
    return words_allocate(cores_set_size());
}

/* The first number in a file of the core's topology; `absent` if the kernel does not have it. */
static int cores_read_number(int cpu, const char *name, int absent)
{
    char path[96], text[16];
    int fd, number = absent;
    ssize_t n;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, name);
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

static int compare_cores(const void *left, const void *right)
{
    const struct core *a = left, *b = right;

    if (a->package != b->package)
        return a->package < b->package ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* All cores, package by package. */
static struct core *list_cores(int *count)
{
    cpu_set_t *set = usable();
    struct core *core = words_allocate((size_t)CPU_COUNT_S(cores_set_size(), set) * sizeof *core);

    *count = 0;
    for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
        int first, i;

        if (!CPU_ISSET_S(cpu, cores_set_size(), set))
            continue;
        first = cores_read_number(cpu, "thread_siblings_list", cpu);
        for (i = 0; i < *count && core[i].first != first; i++)
            ;
        if (i == *count) {
            core[i] = (struct core){cores_read_number(cpu, "physical_package_id", 0), first, new_set()};
            (*count)++;
        }
        CPU_SET_S(cpu, cores_set_size(), core[i].threads);
    }
    free(set);
    qsort(core, (size_t)*count, sizeof *core, compare_cores);
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
        int fd = cores_claim(core[i].first);

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

/* Gives every rank an equal share of adjacent cores. */
static void share(struct job *job, const struct core *core, int per_rank)
{
    allocate_sets(job);
    for (int rank = 0; rank < job->size; rank++)
        for (int i = 0; i < per_rank; i++)
            CPU_OR_S(cores_set_size(), cores_set_of(job, rank), cores_set_of(job, rank),
                     core[rank * per_rank + i].threads);
}

/* Places ranks in blocks over the packages, which need not have enough cores for them. */
static void share_packages(struct job *job, const struct core *core, int count)
{
    int packages = 0;
    int *first = words_allocate((size_t)(count + 1) * sizeof *first);

    for (int i = 0; i < count; i++)
        if (i == 0 || core[i].package != core[i - 1].package)
            first[packages++] = i;
    first[packages] = count;
    allocate_sets(job);
    for (int rank = 0; rank < job->size; rank++) {
        int package = (int)((long)rank * packages / job->size);

        for (int i = first[package]; i < first[package + 1]; i++)
            CPU_OR_S(cores_set_size(), cores_set_of(job, rank), cores_set_of(job, rank), core[i].threads);
    }
    free(first);
}

int cores_assign(struct job *job)
{
    struct core *core;
    int count, per_rank;

    if (job->bind == BIND_NONE)
        return 0;
    if (job->bind == BIND_AUTO && (job->size == 1 || cores_count() < job->size))
        return 0;
    core = list_cores(&count);
    if (job->bind == BIND_SOCKET) {
        share_packages(job, core, count);
        return 0;
    }
    if (count < job->size && job->bind == BIND_AUTO)
        return 0;
    if (count < job->size)
        return fail(MPI_ERR_OTHER,
                    "--bind-to core: %d ranks need %d cores and there are %d; use --bind-to none", job->size,
                    job->size, count);
    per_rank = job->bind == BIND_AUTO ? count / job->size : 1;
    if (claim_cores(core, count, job->size * per_rank) || job->bind == BIND_CORE)
        share(job, core, per_rank);
    return 0;
}
