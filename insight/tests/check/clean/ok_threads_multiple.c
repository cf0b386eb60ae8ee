/* ranks: 2 */
#include "program.h"

static void *run(void *number)
{
    int tag = (int)(long)number, x = tag, y;

    for (int i = 0; i < 100; i++)
        MPI_Sendrecv(&x, 1, MPI_INT, 1 - rank, tag, &y, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    int provided;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (long i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, run, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    MPI_Finalize();
    return 0;
}
