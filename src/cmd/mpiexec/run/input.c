#include "cmd/mpiexec/run/output.h"

#include "plain/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static int null = -1;
static int to_rank[2] = {-1, -1}; /* a pipe, only for a terminal */
static char pending[4096];        /* read but not forwarded: the pipe is full */
static size_t pending_begin, pending_end;

int input_open(void)
{
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return fail(MPI_ERR_OTHER, "cannot open /dev/null: %s", strerror(errno));
    if (!isatty(STDIN_FILENO))
        return 0;
    if (pipe2(to_rank, O_CLOEXEC) < 0)
        return fail(MPI_ERR_OTHER, "no pipe for standard input: %s", strerror(errno));
    fcntl(to_rank[1], F_SETFL, O_NONBLOCK);
    return 0;
}

int input_for(int rank)
{
    return rank > 0 ? null : to_rank[0];
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
