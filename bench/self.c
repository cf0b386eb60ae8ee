/* self [level [batches]]: how long a message of 8 bytes from a process to itself takes, in us, under the
 * thread level (0: MPI_THREAD_SINGLE, 1: MPI_THREAD_MULTIPLE) that MPI_Init_thread is asked for, with one
 * thread. The median over batches of 10,000 messages, of four forms: MPI_Sendrecv; MPI_Isend, then MPI_Recv;
 * MPI_Irecv, then MPI_Send and MPI_Wait; MPI_Irecv and MPI_Isend, then MPI_Waitall. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BATCH = 10000,
    WARM = 3
};

static char out[8], in[8];

static void sendrecv(void)
{
    MPI_Sendrecv(out, 8, MPI_CHAR, 0, 0, in, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void isend_recv(void)
{
    MPI_Request request;

    MPI_Isend(out, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
    MPI_Recv(in, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void irecv_send(void)
{
    MPI_Request request;

    MPI_Irecv(in, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(out, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void waitall(void)
{
    MPI_Request request[2];

    MPI_Irecv(in, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request[0]);
    MPI_Isend(out, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static double measure(void (*message)(void), int batches, double *each)
{
    for (int i = -WARM; i < batches; i++) {
        double start = MPI_Wtime();

        for (int k = 0; k < BATCH; k++)
            message();
        if (i >= 0)
            each[i] = (MPI_Wtime() - start) / BATCH * 1e6;
    }
    return measure_median(each, batches);
}

int main(int argc, char **argv)
{
    int level = (int)measure_argument(argc, argv, 1, 0);
    int batches = (int)measure_argument(argc, argv, 2, 100), provided;
    double *each = malloc((size_t)batches * sizeof *each);

    if (!each)
        return 1;
    MPI_Init_thread(&argc, &argv, level ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    printf("sendrecv %.4f\n", measure(sendrecv, batches, each));
    printf("isend_recv %.4f\n", measure(isend_recv, batches, each));
    printf("irecv_send %.4f\n", measure(irecv_send, batches, each));
    printf("waitall %.4f\n", measure(waitall, batches, each));
    MPI_Finalize();
    free(each);
    return 0;
}
