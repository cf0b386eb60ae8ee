/* outstanding [gets]: what an MPI_Get of 4 bytes costs, and what an MPI_Rget with its part of MPI_Waitall, in microseconds, where so many
 * are under way at a time: `gets` and `rgets`. The median of 5 rounds. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    ROUNDS = 5
};

static MPI_Win win;
static MPI_Request *request;
static int *got, gets;

static void get_all(void)
{
    for (int i = 0; i < gets; i++)
        MPI_Get(&got[i], 1, MPI_INT, 1, i, 1, MPI_INT, win);
    MPI_Win_flush_all(win);
}

static void rget_all(void)
{
    for (int i = 0; i < gets; i++)
        MPI_Rget(&got[i], 1, MPI_INT, 1, i, 1, MPI_INT, win, &request[i]);
    MPI_Waitall(gets, request, MPI_STATUSES_IGNORE);
    MPI_Win_flush_all(win);
}

static double each_of(void (*run)(void))
{
    double each[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        double start = MPI_Wtime();

        run();
        each[i] = (MPI_Wtime() - start) / gets * 1e6;
    }
    return measure_median(each, ROUNDS);
}

int main(int argc, char **argv)
{
    int rank, *memory;

    gets = (int)measure_argument(argc, argv, 1, 100000);
    got = calloc((size_t)gets, sizeof *got);
    request = calloc((size_t)gets, sizeof *request);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    MPI_Win_allocate((MPI_Aint)gets * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && got && request)
        printf("gets %.4f\nrgets %.4f\n", each_of(get_all), each_of(rget_all));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    free(got);
    free(request);
    return 0;
}
