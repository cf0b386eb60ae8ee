/* persistent [requests [rounds]]: persistent collectives on a communicator without
 * mpi_assert_strict_persistent_collective_ordering and on one with it, many requests of 8 bytes of each of
 * allreduce and bcast. `off_many` and `on_many` are ns for a start and its wait, when all are started in
 * turn; off_one and on_one the same with one request of each; off_make and on_make ns to make one; off_bytes
 * and on_bytes the memory that one takes on a rank. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WARM = 2,
    KINDS = 2
};

static int rank, requests, rounds;
static double in, out, cast;
static MPI_Request *request;

static double make_all(MPI_Comm comm)
{
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; i < requests; i++)
        if (i % KINDS)
            MPI_Bcast_init(&cast, 1, MPI_DOUBLE, 0, comm, MPI_INFO_NULL, &request[i]);
        else
            MPI_Allreduce_init(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &request[i]);
    return (MPI_Wtime() - start) / requests * 1e9;
}

static void free_all(MPI_Comm *comm)
{
    for (int i = 0; i < requests; i++)
        MPI_Request_free(&request[i]);
    MPI_Comm_free(comm);
}

/* The first `count` in turn. */
static double run(int count)
{
    double *spent = malloc((size_t)rounds * sizeof *spent), median;

    for (int round = -WARM; round < rounds; round++) {
        double start = MPI_Wtime();

        for (int i = 0; i < requests; i++) {
            MPI_Start(&request[i % count]);
            MPI_Wait(&request[i % count], MPI_STATUS_IGNORE);
        }
        if (round >= 0)
            spent[round] = (MPI_Wtime() - start) / requests * 1e9;
    }
    median = measure_median(spent, rounds);
    free(spent);
    return median;
}

static void measure(MPI_Comm comm, const char *name)
{
    double before = measure_touched(), bytes, make, many, one;

    make = make_all(comm);
    bytes = (measure_touched() - before) / requests;
    many = run(requests);
    one = run(KINDS);
    free_all(&comm);
    if (rank == 0)
        printf("%s_many %.1f\n%s_one %.1f\n%s_make %.1f\n%s_bytes %.0f\n", name, many, name, one, name, make,
               name, bytes);
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Comm warm, plain, strict;

    requests = (int)measure_argument(argc, argv, 1, 1000);
    rounds = (int)measure_argument(argc, argv, 2, 100);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    request = malloc((size_t)requests * sizeof *request);
    MPI_Comm_dup(MPI_COMM_WORLD, &warm); /* the memory of requests themselves is kept for the next ones */
    make_all(warm);
    free_all(&warm);
    MPI_Comm_dup(MPI_COMM_WORLD, &plain);
    measure(plain, "off");
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_strict_persistent_collective_ordering", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &strict);
    MPI_Info_free(&info);
    measure(strict, "on");
    MPI_Finalize();
    free(request);
    return 0;
}
