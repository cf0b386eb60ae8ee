/* outside: a rank that stays out of MPI until another rank of the same host calls it back. Without this,
 * tests of what happens meanwhile would have to know how long that takes, which depends on the load of the
 * machine. */
#ifndef TESTS_OUTSIDE_H
#define TESTS_OUTSIDE_H

#include "check.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

/* Before MPI_Init, so that the signal waits for who asks, whichever threads there are. */
static inline void outside_init(void)
{
    sigset_t call;

    sigemptyset(&call);
    sigaddset(&call, SIGUSR1);
    CHECK_EQ(sigprocmask(SIG_BLOCK, &call, NULL), 0);
}

/* Ranks 0 and 1 get to know which process the other one is; all others do nothing. */
static inline pid_t outside_introduce(int rank)
{
    long mine = getpid(), other = 0;

    if (rank < 2)
        CHECK_EQ(MPI_Sendrecv(&mine, 1, MPI_LONG, !rank, 0, &other, 1, MPI_LONG, !rank, 0, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
    return (pid_t)other;
}

static inline void outside_call(pid_t process)
{
    CHECK_EQ(kill(process, SIGUSR1), 0);
}

/* Waits for a call, which is used up by that. False: none came in this time. */
static inline int outside_wait(double seconds)
{
    struct timespec most = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    sigset_t call;

    sigemptyset(&call);
    sigaddset(&call, SIGUSR1);
    return sigtimedwait(&call, NULL, &most) == SIGUSR1;
}

#endif
