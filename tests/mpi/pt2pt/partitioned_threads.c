/* ranks: 1 2  timeout: 60 */
/* Threads mark partitions of one request ready while others ask for their arrival. */
#include "check.h"

#include <pthread.h>

enum {
    THREADS = 4,
    PARTS = 32,
    ITEMS = 100,
    ROUNDS = 10
};

static MPI_Request send_request, recv_request;
static int out[PARTS * ITEMS], in[PARTS * ITEMS], base;

static void *work(void *argument)
{
    int me = *(int *)argument, flag;

    for (int i = me; i < PARTS; i += THREADS) {
        for (int k = 0; k < ITEMS; k++)
            out[i * ITEMS + k] = base + i * ITEMS + k;
        CHECK_EQ(MPI_Pready(i, send_request), MPI_SUCCESS);
    }
    for (int i = me; i < PARTS; i += THREADS) {
        do
            CHECK_EQ(MPI_Parrived(recv_request, i, &flag), MPI_SUCCESS);
        while (!flag);
        for (int k = 0; k < ITEMS; k++)
            CHECK_EQ(in[i * ITEMS + k], base + i * ITEMS + k);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int number[THREADS], rank, size, provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Psend_init(out, PARTS, ITEMS, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &send_request);
    MPI_Precv_init(in, PARTS, ITEMS, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &recv_request);
    for (base = 0; base < ROUNDS; base++) {
        MPI_Start(&recv_request);
        MPI_Start(&send_request);
        for (int i = 0; i < THREADS; i++) {
            number[i] = i;
            pthread_create(&thread[i], NULL, work, &number[i]);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(thread[i], NULL);
        CHECK_EQ(MPI_Wait(&send_request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&recv_request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    MPI_Request_free(&send_request);
    MPI_Request_free(&recv_request);
    MPI_Finalize();
    return 0;
}
