/* ranks: 2  fault: thread-level */
#include "program.h"

static void *run(void *unused)
{
    int x = 1, y;

    MPI_Sendrecv(&x, 1, MPI_INT, rank, 0, &y, 1, MPI_INT, rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* FAULT */
    return unused;
}

int main(void)
{
    pthread_t thread;

    begin();
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
