/* ranks: 2  fault: thread-level */
#include "program.h"

static void *run(void *unused)
{
    MPI_Barrier(MPI_COMM_WORLD); /* FAULT */
    return unused;
}

int main(void)
{
    pthread_t thread;
    int provided;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
