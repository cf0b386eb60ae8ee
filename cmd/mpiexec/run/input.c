#include "cmd/mpiexec/run/output.h"

#include "cmd/mpiexec/command_line/words.h"
#include "plain/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int reader, count; /* who reads it; if that is all, how many they are, ... */
static int *all;          /* ... and the pipes to them; 0: none, or it is not read any more */
static int theirs = -1;   /* the end of the pipe that the rank which is being started gets */
static int null = -1;
static int to_rank[2] = {-1, -1}; /* a pipe, only for a terminal */
static char pending[4096];        /* read but not forwarded: the pipe is full */
static size_t pending_begin, pending_end;

int input_open(const struct job *job)
{
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return fail(MPI_ERR_OTHER, "cannot open /dev/null: %s", strerror(errno));
    reader = job->asked ? 0 : job->input;
    if (reader == INPUT_ALL) {
        all = words_allocate((size_t)job->size * sizeof *all);
        count = job->size;
        return MPI_SUCCESS;
    }
    if (reader == INPUT_NONE || !isatty(STDIN_FILENO))
        return MPI_SUCCESS;
    if (pipe2(to_rank, O_CLOEXEC) < 0)
        return fail(MPI_ERR_OTHER, "no pipe for standard input: %s", strerror(errno));
    fcntl(to_rank[1], F_SETFL, O_NONBLOCK);
    return MPI_SUCCESS;
}

/* A pipe of the rank's own; if there is none, the rank reads nothing. */
static int open_own(int rank)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return null;
    all[rank] = ends[1];
    theirs = ends[0];
    return theirs;
}

int input_for(int rank)
{
    if (reader == INPUT_ALL)
        return open_own(rank);
    return rank != reader ? null : to_rank[0];
}

void input_started(void)
{
    if (theirs >= 0)
        close(theirs);
    theirs = -1;
}

/* Writes all of it. False: the rank reads no more. */
static bool give_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

/* Reads standard input to its end, and gives each rank all of it. */
static _Noreturn void spread(const sigset_t *mask)
{
    int left = count;
    ssize_t n;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "inkling-stdin");
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_SETMASK, mask, NULL);
    while (left > 0 && (n = read(STDIN_FILENO, pending, sizeof pending)) > 0)
        for (int i = 0; i < count; i++)
            if (all[i] > 0 && !give_all(all[i], pending, (size_t)n)) {
                close(all[i]);
                all[i] = 0;
                left--;
            }
    _exit(0);
}

int input_spread(const sigset_t *mask)
{
    pid_t pid;

    if (reader != INPUT_ALL)
        return MPI_SUCCESS;
    pid = fork();
    if (pid == 0)
        spread(mask);
    for (int i = 0; i < count; i++)
        if (all[i] > 0)
            close(all[i]);
    return pid < 0 ? fail(MPI_ERR_OTHER, "no process for --stdin all: %s", strerror(errno)) : MPI_SUCCESS;
}

int input_terminal(void)
{
    if (to_rank[0] >= 0)
        close(to_rank[0]); /* rank 0 has it */
    to_rank[0] = -1;
    return to_rank[1] >= 0 ? STDIN_FILENO : -1;
}

bool input_is_foreground(void)
{
    return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static bool stop(void)
{
    close(to_rank[1]);
    to_rank[1] = -1;
    return false;
}

bool input_forward(void)
{
    ssize_t n;

    if (to_rank[1] < 0)
        return false;
    if (pending_begin == pending_end && input_is_foreground()) {
        n = read(STDIN_FILENO, pending, sizeof pending);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
            return stop();
        pending_begin = 0;
        pending_end = n > 0 ? (size_t)n : 0;
    }
    if (pending_begin == pending_end)
        return true;
    n = write(to_rank[1], pending + pending_begin, pending_end - pending_begin);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        return stop(); /* rank 0 has closed it */
    pending_begin += n > 0 ? (size_t)n : 0;
    return true;
}
