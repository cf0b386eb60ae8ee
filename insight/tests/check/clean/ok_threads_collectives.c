/* ranks: 2 */
#include "program.h"

static MPI_Comm own;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *none)
{
    int x = 1, y;
    MPI_Request request;

    (void)none;
    pthread_mutex_lock(&turn); /* the main thread has had its turn on MPI_COMM_WORLD */
    for (int i = 0; i < 20; i++) {
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, own);
        MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    pthread_mutex_unlock(&turn);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    MPI_Comm dup;
    int provided, x = 1, y;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    pthread_mutex_lock(&turn);
    pthread_create(&thread, NULL, work, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_mutex_unlock(&turn);
    for (int i = 0; i < 20; i++)
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_MAX, dup);
    pthread_join(thread, NULL);
    MPI_Comm_free(&own);
    MPI_Comm_free(&dup);
    MPI_Finalize();
    return 0;
}
