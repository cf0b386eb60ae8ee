/* ranks: 2  also: INKLING_TRANSPORT=ofi  also: INKLING_TRANSPORT=ofi,INKLING_PEER_TIMEOUT=0 */
/* While the program is not in MPI and no message comes, the library's threads sleep. */
#include "check.h"

#include <time.h>
#include <unistd.h>

enum {
    IDLE_MS = 600,
    MOST_MS = 20 /* of processor time; a thread that does not sleep takes what it gets */
};

static double used_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* After messages have come and gone. */
int main(void)
{
    int rank, other = -1;
    double begin;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK_EQ(other, 1 - rank);
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(IDLE_MS / 3 * 1000); /* the other one may still be in the barrier */
    begin = used_ms();
    usleep(IDLE_MS * 1000);
    CHECK(used_ms() - begin < MOST_MS);
    MPI_Finalize();
    return 0;
}
