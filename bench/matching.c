/* matching [rounds]: what it costs to match a message when many could match, in microseconds per message, and
 * as a multiple of what it costs with one.
 *
 * posted_N: rank 1 posts N receives of different tags; rank 0 sends to them in shuffled order, each message
 * after the answer to the one before. The time from the first receive's posting to the last answer, over N.
 * unexpected_N: rank 0 sends N messages of different tags; when all are there, rank 1 receives them in
 * shuffled order. The time of the receives alone, over N; each is timed, less what timing costs. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    DEEP = 10000,
    ANSWER = DEEP, /* tags behind those of the messages */
    WARM = 1
};

static int order[DEEP], rank;
static MPI_Request request[DEEP];
static double message[DEEP];

static void order_shuffle(int count)
{
    unsigned long long state = 1;
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        int other = (int)((state >> 33) % (unsigned)(i + 1)), mine = order[i];
        order[i] = order[other];
        order[other] = mine;
    }
}

static void token_send(void)
{
    MPI_Send(NULL, 0, MPI_DOUBLE, !rank, ANSWER, MPI_COMM_WORLD);
}

static void token_receive(void)
{
    MPI_Recv(NULL, 0, MPI_DOUBLE, !rank, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double posted_run(int depth)
{
    double start = MPI_Wtime();
    if (rank == 0) {
        for (int i = 0; i < depth; i++) {
            token_receive();
            MPI_Send(&message[i], 1, MPI_DOUBLE, 1, order[i], MPI_COMM_WORLD);
        }
        token_receive();
        return 0;
    }
    for (int i = 0; i < depth; i++)
        MPI_Irecv(&message[i], 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < depth; i++) {
        token_send();
        MPI_Wait(&request[order[i]], MPI_STATUS_IGNORE);
    }
    token_send();
    return MPI_Wtime() - start;
}

static double receive_time(int tag)
{
    double start = MPI_Wtime();
    MPI_Recv(&message[tag], 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Wtime() - start;
}

static double clock_time(void)
{
    double start = MPI_Wtime();
    return MPI_Wtime() - start;
}

static double unexpected_run(int depth)
{
    double spent = 0, timing = 0;
    if (rank == 0) {
        for (int i = 0; i < depth; i++)
            MPI_Send(&message[i], 1, MPI_DOUBLE, 1, i, MPI_COMM_WORLD);
        token_send();
        token_receive();
        return 0;
    }
    token_receive();
    for (int i = 0; i < depth; i++) {
        spent += receive_time(order[i]);
        timing += clock_time();
    }
    token_send();
    return spent - timing;
}

/* Rounds of `depth` messages each; as many messages whatever the depth. */
static double measure(double (*run)(int depth), int depth, int rounds)
{
    double spent = 0;
    order_shuffle(depth);
    for (int i = -WARM; i < rounds; i++)
        for (int k = 0; k < DEEP / depth; k++) {
            double once = run(depth);
            if (i >= 0)
                spent += once;
        }
    return spent / ((double)rounds * DEEP) * 1e6;
}

static void compare(const char *name, double (*run)(int depth), int rounds)
{
    double shallow = measure(run, 1, rounds), deep = measure(run, DEEP, rounds);
    double mine[2] = {shallow, deep};
    if (rank == 1) {
        MPI_Send(mine, 2, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        return;
    }
    MPI_Recv(mine, 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%s_1 %.4f\n%s_%d %.4f\n%s_growth %.3f\n", name, mine[0], name, DEEP, mine[1], name,
           mine[1] / mine[0]);
}

int main(int argc, char **argv)
{
    int rounds = (int)measure_argument(argc, argv, 1, 3);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    compare("posted", posted_run, rounds);
    compare("unexpected", unexpected_run, rounds);
    MPI_Finalize();
    return 0;
}
