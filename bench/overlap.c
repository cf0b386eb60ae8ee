/* overlap KEY [rounds]: how long a sender of 1 MiB waits for a receiver that has posted its receive and
 * computes for a millisecond, on a communicator without the hint KEY and on one with it: `off` and `on`, us
 * in MPI_Send; off_round and on_round, us of the whole exchange; the median over the rounds. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BYTES = 1 << 20,
    COMPUTE_US = 1000,
    WARM = 3
};

static void compute(void)
{
    double end = MPI_Wtime() + COMPUTE_US / 1e6;

    while (MPI_Wtime() < end)
        ;
}

/* Both compute; the receiver first, the sender behind its send. */
static double run(MPI_Comm comm, int rank, char *buffer, double *round)
{
    MPI_Request request = MPI_REQUEST_NULL;
    double start, sent = 0;

    if (rank == 1)
        MPI_Irecv(buffer, BYTES, MPI_BYTE, 0, 0, comm, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (rank == 0) {
        MPI_Send(buffer, BYTES, MPI_BYTE, 1, 0, comm);
        sent = MPI_Wtime() - start;
    }
    compute();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    *round = (MPI_Wtime() - start) * 1e6;
    return sent * 1e6;
}

int main(int argc, char **argv)
{
    int rank, rounds = (int)measure_argument(argc, argv, 2, 300);
    double *sent[2], *whole[2], spent, round;
    char *buffer = malloc(BYTES);
    MPI_Comm comm[2];
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    memset(buffer, rank, BYTES);
    MPI_Info_create(&info);
    MPI_Info_set(info, argc > 1 ? argv[1] : "mpi_assert_exact_length", "true");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm[1]);
    MPI_Info_free(&info);
    for (int on = 0; on < 2; on++) {
        sent[on] = malloc((size_t)rounds * sizeof **sent);
        whole[on] = malloc((size_t)rounds * sizeof **whole);
    }
    for (int i = -WARM; i < rounds; i++)
        for (int on = 0; on < 2; on++) {
            spent = run(comm[on], rank, buffer, &round);
            if (i < 0)
                continue;
            sent[on][i] = spent;
            whole[on][i] = round;
        }
    if (rank == 0)
        printf("off %.2f\non %.2f\noff_round %.2f\non_round %.2f\n", measure_median(sent[0], rounds),
               measure_median(sent[1], rounds), measure_median(whole[0], rounds),
               measure_median(whole[1], rounds));
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
    MPI_Finalize();
    free(buffer);
    return 0;
}
