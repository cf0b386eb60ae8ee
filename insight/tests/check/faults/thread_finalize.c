/* ranks: 1  fault: thread-level */
#include "program.h"

static void *finish(void *unused)
{
    MPI_Finalize(); /* FAULT */
    return unused;
}

int main(void)
{
    pthread_t thread;
    int provided;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    pthread_create(&thread, NULL, finish, NULL);
    pthread_join(thread, NULL);
    return 0;
}
