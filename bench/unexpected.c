/* unexpected KEY [rounds]: what a message costs that comes before its receive, on a communicator without the
 * hint KEY and on one with it: 10,000 messages under as many tags are taken in by a probe for the last one,
 * and then received in turn. `off` and `on` are ns per message, the median over the rounds; off_bytes and
 * on_bytes the heap that a message takes which waits. */
#include "measure.h"

#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MESSAGES = 10000,
    WARM = 3
};

static double bytes_each; /* of the last round */

static double run(MPI_Comm comm, int rank)
{
    static long number;
    size_t before = mallinfo2().uordblks;
    int found = 0;
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; rank == 0 && i < MESSAGES; i++)
        MPI_Send(&number, 1, MPI_LONG, 1, i, comm);
    while (rank == 1 && !found)
        MPI_Iprobe(0, MESSAGES - 1, comm, &found, MPI_STATUS_IGNORE);
    if (rank == 1)
        bytes_each = (double)(mallinfo2().uordblks - before) / MESSAGES;
    for (int i = 0; rank == 1 && i < MESSAGES; i++)
        MPI_Recv(&number, 1, MPI_LONG, 0, i, comm, MPI_STATUS_IGNORE);
    return (MPI_Wtime() - start) / MESSAGES * 1e9;
}

int main(int argc, char **argv)
{
    int rank, rounds = (int)measure_argument(argc, argv, 2, 60);
    double *each[2], bytes[2];
    MPI_Comm comm[2];
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    MPI_Info_create(&info);
    MPI_Info_set(info, argc > 1 ? argv[1] : "mpi_assert_no_any_source", "true");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm[1]);
    MPI_Info_free(&info);
    for (int on = 0; on < 2; on++)
        each[on] = malloc((size_t)rounds * sizeof *each[on]);
    for (int i = -WARM; i < rounds; i++)
        for (int on = 0; on < 2; on++) {
            double spent = run(comm[on], rank);

            if (i >= 0)
                each[on][i] = spent;
            if (i == -WARM) /* the tables grow */
                continue;
            bytes[on] = bytes_each;
        }
    if (rank == 1)
        printf("off %.2f\non %.2f\noff_bytes %.1f\non_bytes %.1f\n", measure_median(each[0], rounds),
               measure_median(each[1], rounds), bytes[0], bytes[1]);
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
    MPI_Finalize();
    return 0;
}
