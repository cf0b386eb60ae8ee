/* ranks: 2  fault: thread-level */
#include "program.h"

static void *work(void *none)
{
    int x = 1, y;

    (void)none;
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* FAULT */
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int provided, x = 1, y;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    usleep(rank * 200000); /* so both threads of rank 0 are in their calls */
    pthread_create(&thread, NULL, work, NULL);
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
