/* ranks: 1  fault: thread-level */
#include "program.h"

static void *compute(void *unused)
{
    usleep(300000);
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, compute, NULL); /* FAULT */
    begin();
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
