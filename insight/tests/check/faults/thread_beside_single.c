/* ranks: 2  fault: thread-level */
#include "program.h"

static void *compute(void *unused)
{
    usleep(300000);
    return unused;
}

int main(void)
{
    int mine = 1, theirs;
    pthread_t thread;

    begin();
    pthread_create(&thread, NULL, compute, NULL);
    MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &theirs, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* FAULT */
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
