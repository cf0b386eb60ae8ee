/* ranks: 2  fault: request */
#include "program.h"

static MPI_Request request;
static int value;

static void *run(void *unused)
{
    MPI_Request copy = request;

    MPI_Wait(&copy, MPI_STATUS_IGNORE);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int provided;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        pthread_create(&thread, NULL, run, NULL);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* FAULT */
        pthread_join(thread, NULL);
    } else {
        usleep(300000);
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
