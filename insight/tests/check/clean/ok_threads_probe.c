/* ranks: 2 */
#include "program.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

/* Threads that probe and receive under a lock, by tags of their own, or by MPI_Mprobe. */
static void *receive(void *tag)
{
    int value;
    MPI_Status status;
    MPI_Message message;

    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&one);
        MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_SELF, &status);
        MPI_Recv(&value, 1, MPI_INT, 0, status.MPI_TAG, MPI_COMM_SELF, &status);
        pthread_mutex_unlock(&one);
        MPI_Probe(1 - rank, *(int *)tag, MPI_COMM_WORLD, &status);
        MPI_Recv(&value, 1, MPI_INT, 1 - rank, *(int *)tag, MPI_COMM_WORLD, &status);
        MPI_Mprobe(1 - rank, 9, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    }
    return NULL;
}

int main(void)
{
    int provided, tags[2] = {1, 2};
    pthread_t threads[2];
    MPI_Request requests[40];

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, receive, &tags[i]);
    for (int i = 0; i < 40; i++) {
        MPI_Isend(&rank, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[i]);
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1 + i % 2, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD);
    }
    MPI_Waitall(40, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    MPI_Finalize();
    return 0;
}
