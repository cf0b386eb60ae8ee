/* ranks: 1 2 4 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K also: INKLING_EAGER_LIMIT=0 */
/* Probe and Iprobe: what they tell of small and large messages is what the receive then gets, as often as one
 * asks; they see only what matches. */
#include "p2p.h"

static int to, from;

/* A message of unknown length. */
static void unknown_length(int bytes, int any_source, int any_tag)
{
    unsigned char *out = malloc((size_t)bytes + 1), *in;
    MPI_Request request;
    MPI_Status status, again;
    int flag = 0, count;

    fill(out, (size_t)bytes, (unsigned)rank);
    CHECK_EQ(MPI_Isend(out, bytes, MPI_BYTE, to, 11, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_EQ(
        MPI_Probe(any_source ? MPI_ANY_SOURCE : from, any_tag ? MPI_ANY_TAG : 11, MPI_COMM_WORLD, &status),
        0);
    CHECK_STATUS(&status, from, 11, bytes);
    CHECK_EQ(MPI_Iprobe(from, 11, MPI_COMM_WORLD, &flag, &again), MPI_SUCCESS);
    CHECK(flag);
    CHECK_STATUS(&again, from, 11, bytes);
    CHECK_EQ(MPI_Get_count(&status, MPI_BYTE, &count), MPI_SUCCESS);
    in = malloc((size_t)count + 1);
    CHECK_EQ(MPI_Recv(in, count, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &again),
             MPI_SUCCESS);
    CHECK_STATUS(&again, from, 11, bytes);
    CHECK_EQ(find_wrong(in, (size_t)bytes, (unsigned)from), -1);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    free(out);
    free(in);
}

/* Nothing matches: no flag, and the message that is there stays. */
static void only_what_matches(void)
{
    int word = 3, flag = 0, got = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Comm other;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &other), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(&word, 1, MPI_INT, to, 21, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    while (!flag)
        CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Iprobe(from, 22, MPI_COMM_WORLD, &flag, &status), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, other, &flag, &status), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    if (size > 1) {
        CHECK_EQ(MPI_Iprobe(rank, 21, MPI_COMM_WORLD, &flag, &status), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
    }
    CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, from, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, 3);
    CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&other), MPI_SUCCESS);
}

/* The earliest message that matches is the one that is told, and the one that is received. */
static void earliest_first(void)
{
    int words[10], got;
    MPI_Request requests[10];
    MPI_Status status;

    for (int i = 0; i < 10; i++) {
        words[i] = i;
        CHECK_EQ(MPI_Isend(words, i + 1, MPI_INT, to, 30 + i % 2, MPI_COMM_WORLD, &requests[i]), MPI_SUCCESS);
    }
    for (int i = 1; i < 10; i += 2) {
        CHECK_EQ(MPI_Probe(from, 31, MPI_COMM_WORLD, &status), MPI_SUCCESS);
        CHECK_STATUS(&status, from, 31, 4 * (i + 1));
        int all[10];
        CHECK_EQ(MPI_Recv(all, 10, MPI_INT, from, 31, MPI_COMM_WORLD, &status), MPI_SUCCESS);
        CHECK_EQ(MPI_Get_count(&status, MPI_INT, &got), MPI_SUCCESS);
        CHECK_EQ(got, i + 1);
    }
    for (int i = 0; i < 10; i += 2) {
        int all[10];
        CHECK_EQ(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status), MPI_SUCCESS);
        CHECK_STATUS(&status, from, 30, 4 * (i + 1));
        CHECK_EQ(MPI_Recv(all, i + 1, MPI_INT, from, MPI_ANY_TAG, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Waitall(10, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {0, 1, 40, 41, 4096, 4097, 200000};

    MPI_Init(&argc, &argv);
    set_up();
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    for (int i = 0; i < 7; i++)
        for (int wild = 0; wild < 4; wild++) {
            unknown_length(lengths[i], wild & 1, wild & 2);
            CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        }
    only_what_matches();
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    earliest_first();
    MPI_Finalize();
    return 0;
}
