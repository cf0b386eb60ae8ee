#include "cmd/mpiexec/run/told.h"

#include "cmd/mpiexec/launch/launch.h"
#include "plain/clock.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t running;    /* 0: none */
static uint64_t last_ns; /* the clock when it was started or has ended */

/* The path of inkling. False: it is not beside mpiexec. */
static bool find_inkling(char *path, size_t room)
{
    ssize_t n = readlink("/proc/self/exe", path, room - 16);
    char *name;

    if (n <= 0)
        return false;
    path[n] = 0;
    name = strrchr(path, '/');
    if (!name)
        return false;
    strcpy(name + 1, "inkling");
    return access(path, X_OK) == 0;
}

/* In the child, which shares mpiexec's memory until exec: a process group of its own keeps ^C and ^\ from it. */
static _Noreturn void become_inkling(const struct job *job, const char *path, char *const *argv, int null,
                                     bool says_why)
{
    setpgid(0, 0);
    dup2(null, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    if (!says_why)
        dup2(null, STDERR_FILENO);
    start_restore_limit();
    sigprocmask(SIG_SETMASK, &job->mask, NULL);
    execve(path, argv, environ);
    _exit(127);
}

static __attribute__((noinline)) pid_t branch_inkling(const struct job *job, const char *path,
                                                      char *const *argv, int null, bool says_why)
{
    pid_t pid = vfork();

    if (pid == 0)
        become_inkling(job, path, argv, null, says_why);
    return pid;
}

/* option: NULL: none. */
static bool start_inkling(const struct job *job, bool says_why, char *option)
{
    char path[PATH_MAX], number[32];
    char *argv[] = {"inkling", "where", number, option, NULL};
    int null;

    if (running || !find_inkling(path, sizeof path))
        return false;
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return false;
    snprintf(number, sizeof number, "%ld", (long)getpid());
    running = branch_inkling(job, path, argv, null, says_why);
    close(null);
    if (running < 0)
        running = 0;
    last_ns = clock_ns();
    return running > 0;
}

bool where_report_start(const struct job *job, bool says_why)
{
    return start_inkling(job, says_why, NULL);
}

void where_report_lost(const struct job *job)
{
    const struct timespec moment = {0, 2 * 1000 * 1000};
    uint64_t now = clock_ns(), end = now + WHERE_LOST_MS * 1000000ull;
    siginfo_t info = {0};

    if (job->check || job->asked || job->is_spawned || job->alive < 1 ||
        now - job->begin_ns < WHERE_LOST_MS * 1000000ull || !start_inkling(job, false, "--lost"))
        return;
    while (!info.si_pid && clock_ns() < end &&
           waitid(P_PID, (id_t)running, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
        nanosleep(&moment, NULL);
}

bool where_report_runs(void)
{
    return running > 0;
}

uint64_t where_report_last(void)
{
    return last_ns;
}

bool where_report_ended(pid_t pid)
{
    if (!running || pid != running)
        return false;
    running = 0;
    last_ns = clock_ns();
    return true;
}
