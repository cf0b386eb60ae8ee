/* kinds [rounds]: what it costs to ask drivers where buffers lie. Nanoseconds per 8-byte message of a stream
 * from one rank to another: on MPI_COMM_WORLD, whose buffers may be of any kind that the job was started with
 * (--memory-alloc-kinds cuda), and on a communicator that asserts system memory only. Batches alternate, so
 * that what disturbs the machine disturbs both; medians. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BATCH = 2000,
    WARM = 20
};

static double batch_run(int rank, MPI_Comm comm)
{
    char buffer[8] = {0};
    double start = MPI_Wtime();
    for (int i = 0; i < BATCH; i++) {
        if (rank == 0)
            MPI_Send(buffer, 8, MPI_CHAR, 1, 0, comm);
        else
            MPI_Recv(buffer, 8, MPI_CHAR, 0, 0, comm, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        MPI_Recv(buffer, 0, MPI_CHAR, 1, 1, comm, MPI_STATUS_IGNORE);
    else
        MPI_Send(buffer, 0, MPI_CHAR, 0, 1, comm);
    return (MPI_Wtime() - start) / BATCH * 1e9;
}

static MPI_Comm assert_system(void)
{
    MPI_Comm comm;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "system");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    return comm;
}

int main(int argc, char **argv)
{
    int rank, rounds = (int)measure_argument(argc, argv, 1, 500);
    double *any = malloc((size_t)rounds * sizeof *any), *host = malloc((size_t)rounds * sizeof *host);
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!any || !host)
        MPI_Abort(MPI_COMM_WORLD, 1);
    comm = assert_system();
    measure_cpus();
    for (int i = -WARM; i < rounds; i++) {
        double one = batch_run(rank, MPI_COMM_WORLD), other = batch_run(rank, comm);
        if (i >= 0) {
            any[i] = one;
            host[i] = other;
        }
    }
    if (rank == 0)
        printf("message_any_kind %.2f\nmessage_host_kinds %.2f\n", measure_median(any, rounds),
               measure_median(host, rounds));
    MPI_Comm_free(&comm);
    MPI_Finalize();
    free(any);
    free(host);
    return 0;
}
