/* polling [hops]: the time of a hop of a message of 8 bytes that goes round all ranks, in microseconds: the
 * receiver is in MPI_Recv, or asks MPI_Iprobe or MPI_Test again and again (`hop_` and the name of the call). And how many times as long ranks that all compute take with an MPI_Test every 100 us or so
 * (`tested`).
 */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void receive(const char *how, double *word)
{
    int source = (rank + size - 1) % size, flag = 0;
    MPI_Request request;

    while (!strcmp(how, "iprobe") && !flag)
        MPI_Iprobe(source, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (strcmp(how, "test")) {
        MPI_Recv(word, 1, MPI_DOUBLE, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Irecv(word, 1, MPI_DOUBLE, source, 0, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static double hop_measure(const char *how, long hops)
{
    double word = 0, start;
    long rounds = hops / size + 1;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (long i = 0; i < rounds; i++) {
        if (rank)
            receive(how, &word);
        MPI_Send(&word, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD);
        if (!rank)
            receive(how, &word);
    }
    return (MPI_Wtime() - start) * 1e6 / (double)(rounds * size);
}

static double work(long pieces, long piece, MPI_Request *request)
{
    volatile double x = 1;
    int flag;

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (long i = 0; i < pieces; i++) {
        for (long k = 0; k < piece; k++)
            x = x * 1.000001;
        if (request)
            MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

/* The message comes when the work is done. */
static double tested_measure(void)
{
    enum {
        PIECES = 1000
    };
    long piece = 10000;
    double word = 0, alone = work(1, piece, NULL), with;
    MPI_Request request;

    for (int i = 0; i < 5; i++) {
        double next = work(1, piece, NULL);
        alone = next < alone ? next : alone;
    }
    piece = (long)((double)piece * 100e-6 / alone);
    MPI_Bcast(&piece, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Irecv(&word, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request);
    alone = work(PIECES, piece, NULL);
    with = work(PIECES, piece, &request);
    MPI_Send(&word, 1, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return with / alone;
}

int main(int argc, char **argv)
{
    static const char *const how[] = {"recv", "iprobe", "test"};
    long hops = measure_argument(argc, argv, 1, 10000);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 2)
        measure_cpus();
    for (int i = 0; i < 3; i++) {
        double hop;

        hop_measure(how[i], hops / 10);
        hop = hop_measure(how[i], hops);
        if (!rank)
            printf("hop_%s %.3f\n", how[i], hop);
    }
    double times = tested_measure();
    if (!rank)
        printf("tested %.3f\n", times);
    MPI_Finalize();
    return 0;
}
