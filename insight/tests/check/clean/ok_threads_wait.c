/* ranks: 2 */
#include "program.h"

/* Small sends are complete at once, and such requests may have one handle. */
static void *exchange(void *tag)
{
    int x = 0, y = 0;
    MPI_Request request, kept[1];

    for (int i = 0; i < 2000; i++) {
        MPI_Isend(&x, 1, MPI_INT, 1 - rank, (int)(intptr_t)tag, MPI_COMM_WORLD, &request);
        kept[0] = request;
        MPI_Wait(&kept[0], MPI_STATUS_IGNORE);
        MPI_Recv(&y, 1, MPI_INT, 1 - rank, (int)(intptr_t)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    int provided;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, exchange, (void *)(intptr_t)i);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    MPI_Finalize();
    return 0;
}
