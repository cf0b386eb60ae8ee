/* mismatch_left: a rank that has called another collective finds that out, returns and calls the next one while a neighbour in the tree is
 * stopped. The neighbour learns what the rank had called all the same, and all go on together. */
#include "check.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    USES = 12,               /* calls before, so that there is a tree */
    ASLEEP_US = 200 * 1000,  /* until the others wait, and have told for what */
    STOPPED_US = 300 * 1000, /* until rank 0 runs again */
    CALLS = 2,
    LIMIT = 20 /* seconds */
};

static int rank, size;
static int first; /* the process of rank 0 */

static int sum(void)
{
    int one = 1, all = 0, error = MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    if (!error)
        CHECK_EQ(all, size);
    return error;
}

static void let_first_run(int signal)
{
    (void)signal;
    kill(first, SIGCONT);
}

static int call_another(void)
{
    int item = 0;

    return MPI_Bcast(&item, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void stop_first(void)
{
    struct itimerval later = {.it_value.tv_usec = STOPPED_US};

    usleep(ASLEEP_US);
    signal(SIGALRM, let_first_run);
    kill(first, SIGSTOP);
    setitimer(ITIMER_REAL, &later, NULL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    first = getpid();
    CHECK_EQ(MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < USES; i++)
        CHECK_EQ(sum(), MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == size - 1)
        stop_first();
    else
        alarm(LIMIT); /* a rank that waits for ever ends */
    for (int i = 0; i < CALLS; i++)
        CHECK_EQ((rank == size - 1 ? call_another() : sum()) == MPI_SUCCESS, 0);
    CHECK_EQ(sum(), MPI_SUCCESS);
    MPI_Finalize();
    return 0;
}
