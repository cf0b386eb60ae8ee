#include "cmd/mpiexec/launch/launch.h"

#include "plain/fail.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS = 100,
    ROUND_NS = 10 * 1000 * 1000,
    ENVIRONMENT_SIZE = 1 << 20
};

static struct {
    pid_t pid;
    int ranks;
    volatile pid_t *group; /* shared with the guard: one per rank */
    rlim_t mark;           /* 0: none */
} guard;

static ssize_t read_proc(const char *pid, const char *name, char *text, size_t size)
{
    char path[64];
    ssize_t used = 0, n = 0;
    int fd;

    snprintf(path, sizeof path, "/proc/%.20s/%s", pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    while ((size_t)used < size - 1 && (n = read(fd, text + used, size - 1 - (size_t)used)) > 0)
        used += n;
    close(fd);
    text[used] = 0;
    return used;
}

/* Whether the environment of the process says that it belongs to the job. */
static bool belongs(const char *pid, const char *job, char *environment)
{
    static const char variable[] = "INKLING_JOB_FAMILY=";
    ssize_t size = read_proc(pid, "environ", environment, ENVIRONMENT_SIZE);
    const char *end = environment + (size > 0 ? size : 0);

    for (const char *entry = environment; entry < end; entry += strlen(entry) + 1)
        if (strncmp(entry, variable, sizeof variable - 1) == 0)
            return strstr(entry, job) != NULL;
    return false;
}

static bool is_marked(pid_t pid)
{
    struct rlimit limit;

    return guard.mark && prlimit(pid, RLIMIT_LOCKS, NULL, &limit) == 0 && limit.rlim_cur == guard.mark;
}

static int kill_family(const char *job, char *environment)
{
    DIR *proc = opendir("/proc");
    int found = 0;

    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        pid_t pid = (pid_t)atoi(entry->d_name);

        if (pid > 0 && (is_marked(pid) || belongs(entry->d_name, job, environment)))
            found += kill(pid, SIGKILL) == 0;
    }
    if (proc)
        closedir(proc);
    return found;
}

static _Noreturn void guard_watch(int end, const char *job)
{
    struct timespec pause = {0, ROUND_NS};
    char byte, *environment;

    while (read(end, &byte, 1) < 0 && errno == EINTR)
        ;
    for (int i = 0; i < guard.ranks; i++)
        if (guard.group[i] > 0)
            kill(-guard.group[i], SIGKILL);
    environment = malloc(ENVIRONMENT_SIZE);
    for (int round = 0; environment && round < ROUNDS && kill_family(job, environment) > 0; round++)
        nanosleep(&pause, NULL);
    _exit(0);
}

/* Closes everything of mpiexec's in the guard, so that readers of mpiexec's output see it end. */
static void let_go(int end)
{
    int null = open("/dev/null", O_RDWR);

    setsid();
    prctl(PR_SET_NAME, "inkling-guard");
    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
    dup2(end, 3);
    close_range(4, ~0U, 0);
    if (chdir("/") < 0)
        return;
}

static void choose_mark(void)
{
    struct rlimit limit;
    uint64_t random;

    if (getrlimit(RLIMIT_LOCKS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY &&
        getrandom(&random, sizeof random, GRND_NONBLOCK) == sizeof random)
        guard.mark = random >> 1 | 1;
}

/* After the fork of the guard, which is not to kill itself. */
static void take_mark(void)
{
    struct rlimit limit = {.rlim_cur = guard.mark, .rlim_max = RLIM_INFINITY};

    if (guard.mark)
        setrlimit(RLIMIT_LOCKS, &limit);
}

int guard_start(const char *name, int ranks)
{
    int ends[2];
    char byte;
    void *shared = mmap(NULL, (size_t)ranks * sizeof *guard.group, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (shared == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return fail(MPI_ERR_OTHER, "cannot start the guard process: %s", strerror(errno));
    guard.group = shared;
    guard.ranks = ranks;
    choose_mark();
    guard.pid = fork();
    if (guard.pid < 0)
        return fail(MPI_ERR_OTHER, "cannot start the guard process: %s", strerror(errno));
    if (guard.pid == 0) {
        let_go(ends[0]);
        if (write(3, "", 1) == 1)
            guard_watch(3, name);
        _exit(1);
    }
    close(ends[0]); /* the other end stays open while mpiexec lives */
    if (read(ends[1], &byte, 1) !=
        1) /* until it has left this process group, a signal to that kills it, too */
        return fail(MPI_ERR_OTHER, "the guard process has ended at once");
    take_mark();
    return 0;
}

void guard_note(int rank, pid_t pid)
{
    guard.group[rank] = pid;
}

void guard_stop(void)
{
    if (guard.pid <= 0)
        return;
    kill(guard.pid, SIGKILL);
    waitpid(guard.pid, NULL, 0);
    guard.pid = 0;
}

/* The parent of a process, from its stat; -1 if it is gone or dead. */
static pid_t guard_parent_of(const char *pid)
{
    char stat[512], state;
    char *rest;
    int parent;

    if (read_proc(pid, "stat", stat, sizeof stat) <= 0)
        return -1;
    rest = strrchr(stat, ')'); /* the name before it may contain anything */
    if (!rest || sscanf(rest + 1, " %c %d", &state, &parent) != 2 || state == 'Z')
        return -1;
    return parent;
}

int guard_sweep_children(int signal)
{
    DIR *proc = opendir("/proc");
    int found = 0;

    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        if (!isdigit((unsigned char)entry->d_name[0]) || guard_parent_of(entry->d_name) != getpid())
            continue;
        kill((pid_t)atoi(entry->d_name), signal);
        found++;
    }
    if (proc)
        closedir(proc);
    return found;
}
