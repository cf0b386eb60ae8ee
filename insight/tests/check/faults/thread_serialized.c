/* ranks: 2  fault: thread-level */
#include "program.h"

static void *run(void *unused)
{
    int x;

    MPI_Recv(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int provided, x = 0;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&thread, NULL, run, NULL);
    usleep(200000);
    MPI_Send(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD); /* FAULT */
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
