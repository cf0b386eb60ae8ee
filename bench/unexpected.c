/* unexpected KEY [messages] [rounds]: what it costs to receive a message that came before its receive, on a
 * communicator without the hint KEY and on one with it. Rank 0 gets as many messages from the other ranks,
 * each of another source or tag; when all are there, it receives them in shuffled order. `off` and `on` are
 * ns per receive, the median over the rounds; off_bytes and on_bytes the heap that a waiting message takes.
 */
#include "measure.h"

#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WARM = 3,
    LAST = 1 << 20 /* the tag of a sender's last message */
};

static int rank, senders, each, *order;
static double bytes; /* of a message of the last round */

static void order_shuffle(int count)
{
    unsigned long long state = 1;
    order = malloc((size_t)count * sizeof *order);
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        int other = (int)((state >> 33) % (unsigned)(i + 1)), mine = order[i];
        order[i] = order[other];
        order[other] = mine;
    }
}

static void send_all(MPI_Comm comm)
{
    long number = 0;
    for (int i = 0; i < each; i++)
        MPI_Send(&number, 1, MPI_LONG, 0, i, comm);
    MPI_Send(&number, 1, MPI_LONG, 0, LAST, comm);
}

static double receive_all(MPI_Comm comm)
{
    long number;
    double start;
    for (int i = 1; i <= senders; i++)
        MPI_Recv(&number, 1, MPI_LONG, i, LAST, comm, MPI_STATUS_IGNORE);
    start = MPI_Wtime();
    for (int i = 0; i < each * senders; i++)
        MPI_Recv(&number, 1, MPI_LONG, 1 + order[i] % senders, order[i] / senders, comm, MPI_STATUS_IGNORE);
    return (MPI_Wtime() - start) / (each * senders) * 1e9;
}

static double run(MPI_Comm comm)
{
    double spent = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        spent = receive_all(comm);
    else
        send_all(comm);
    MPI_Barrier(MPI_COMM_WORLD);
    return spent;
}

int main(int argc, char **argv)
{
    int messages = (int)measure_argument(argc, argv, 2, 10000),
        rounds = (int)measure_argument(argc, argv, 3, 60);
    double *spent[2], first[2];
    MPI_Comm comm[2];
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &senders);
    senders--;
    each = messages / senders;
    order_shuffle(each * senders);
    MPI_Info_create(&info);
    MPI_Info_set(info, argc > 1 ? argv[1] : "mpi_assert_no_any_source", "true");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm[1]);
    MPI_Info_free(&info);
    for (int on = 0; on < 2; on++)
        spent[on] = malloc((size_t)rounds * sizeof *spent[on]);
    for (int i = -WARM; i < rounds; i++)
        for (int on = 0; on < 2; on++) {
            size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
            double time = run(comm[on]);
            if (i == -WARM) /* the tables grow, and stay */
                first[on] = (double)(mallinfo2().uordblks + mallinfo2().hblkhd - before) / (each * senders);
            if (i >= 0)
                spent[on][i] = time;
        }
    if (rank == 0)
        printf("messages %d\noff %.2f\non %.2f\noff_bytes %.1f\non_bytes %.1f\n", each * senders,
               measure_median(spent[0], rounds), measure_median(spent[1], rounds), first[0], first[1]);
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
    MPI_Finalize();
    return 0;
}
