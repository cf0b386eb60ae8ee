/* ranks: 2  fault: message-race */
#include "program.h"

static pthread_barrier_t both;

/* Both threads have found the one message before either receives. */
static void *receive(void *unused)
{
    int value;
    MPI_Status status;

    MPI_Probe(0, 5, MPI_COMM_WORLD, &status);
    pthread_barrier_wait(&both);
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status); /* FAULT */
    return unused;
}

int main(void)
{
    int provided;
    pthread_t thread;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&rank, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    } else {
        pthread_barrier_init(&both, NULL, 2);
        pthread_create(&thread, NULL, receive, NULL);
        receive(NULL);
        pthread_join(thread, NULL);
    }
    MPI_Finalize();
    return 0;
}
