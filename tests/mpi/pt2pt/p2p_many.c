/* ranks: 1 2 4 timeout: 60 */
/* 10,000 posted receives and 10,000 unexpected messages, taken in hard orders: all are found. A matching that
 * searched would take minutes under the sanitizers. */
#include "p2p.h"

enum {
    COUNT = 10000
};

static int words[COUNT], got[COUNT];
static MPI_Request sends[COUNT], receives[COUNT];
static MPI_Status statuses[COUNT];
static int to, from;

static void send_all(void)
{
    for (int i = 0; i < COUNT; i++) {
        words[i] = i;
        CHECK_EQ(MPI_Isend(&words[i], 1, MPI_INT, to, i, MPI_COMM_WORLD, &sends[i]), MPI_SUCCESS);
    }
}

static void check_all(void)
{
    for (int i = 0; i < COUNT; i++) {
        CHECK_EQ(got[i], i);
        CHECK_STATUS(&statuses[i], from, i, 4);
        got[i] = -1;
    }
}

/* Posted with the last tag first. */
static void posted(void)
{
    for (int i = COUNT - 1; i >= 0; i--)
        CHECK_EQ(
            MPI_Irecv(&got[i], 1, MPI_INT, i % 2 ? from : MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &receives[i]),
            0);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    send_all();
    CHECK_EQ(MPI_Waitall(COUNT, receives, statuses), MPI_SUCCESS);
    check_all();
    CHECK_EQ(MPI_Waitall(COUNT, sends, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

/* Taken with the last tag first. The message that was sent last comes last, so all are here by then. */
static void unexpected(void)
{
    send_all();
    CHECK_EQ(MPI_Probe(from, COUNT - 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = COUNT - 1; i >= 0; i--)
        CHECK_EQ(
            MPI_Recv(&got[i], 1, MPI_INT, i % 2 ? from : MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &statuses[i]), 0);
    check_all();
    CHECK_EQ(MPI_Waitall(COUNT, sends, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

/* The same from anybody with any tag: in order. */
static void unexpected_in_order(void)
{
    send_all();
    CHECK_EQ(MPI_Probe(from, COUNT - 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(MPI_Recv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &statuses[i]), 0);
    check_all();
    CHECK_EQ(MPI_Waitall(COUNT, sends, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

/* 2 x 10,000 receives that never match (taken by a last message each), and messages that pass them by. */
static void deep(void)
{
    static int never[COUNT];

    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(MPI_Irecv(&never[i], 1, MPI_INT, from, COUNT + i, MPI_COMM_WORLD, &receives[i]),
                 MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++) {
        int word = i, back = -1;

        CHECK_EQ(MPI_Sendrecv(&word, 1, MPI_INT, to, 5, &back, 1, MPI_INT, from, 5, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        CHECK_EQ(back, i);
    }
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(MPI_Isend(&words[i], 1, MPI_INT, to, COUNT + i, MPI_COMM_WORLD, &sends[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(COUNT, receives, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(COUNT, sends, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(never[i], i);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    posted();
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    unexpected();
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    unexpected_in_order();
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    deep();
    MPI_Finalize();
    return 0;
}
