/* ranks: 2 */
#include "program.h"

static void *add_up(void *unused)
{
    char line[64];
    intptr_t sum = 0;

    (void)unused;
    for (int i = 0; i < 10; i++) {
        snprintf(line, sizeof line, "%d", i);
        sum += atoi(line);
        usleep(100);
    }
    return (void *)sum;
}

int main(void)
{
    int x[4] = {0}, provided;
    void *sum;
    pthread_t thread;
    MPI_Request request;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(x, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    pthread_create(&thread, NULL, add_up, NULL);
    MPI_Send((int[4]){1, 2, 3, 4}, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    pthread_join(thread, &sum);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (x[3] != 4 || sum != (void *)45)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
    return 0;
}
