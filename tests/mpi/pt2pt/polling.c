/* ranks: 4 timeout: 120 */
/* Ranks that share a core and ask for their messages again and again give the core up to each other: a
 * message goes round about as fast as with MPI_Recv, and not by a time slice of the scheduler for each hop.
 */
#include "p2p.h"

#include <sched.h>
#include <stdbool.h>

enum {
    ROUNDS = 100,
    TRIES = 5,
    TIMES = 50 /* as long as with MPI_Recv is bad; without yields it is hundreds of times */
};

enum how {
    RECV,
    IPROBE,
    IMPROBE,
    TEST,
    TESTALL,
    TESTANY,
    TESTSOME,
    GET_STATUS,
    GET_STATUS_ALL,
    GET_STATUS_ANY,
    GET_STATUS_SOME,
    PARRIVED,
    HOWS
};

static int word, left, right;
static MPI_Request arriving, leaving; /* partitioned */

static void probe(enum how how)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    int flag = 0;

    while (how == IPROBE && !flag)
        CHECK_EQ(MPI_Iprobe(left, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    while (how == IMPROBE && !flag)
        CHECK_EQ(MPI_Improbe(left, 1, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (how == IMPROBE)
        CHECK_EQ(MPI_Mrecv(&word, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Recv(&word, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static bool ask(enum how how, MPI_Request *r)
{
    int flag = 0, index, count = 0;

    if (how == TEST)
        CHECK_EQ(MPI_Test(r, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (how == TESTALL)
        CHECK_EQ(MPI_Testall(1, r, &flag, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    if (how == TESTANY)
        CHECK_EQ(MPI_Testany(1, r, &index, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (how == TESTSOME)
        CHECK_EQ(MPI_Testsome(1, r, &count, &index, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    if (how == GET_STATUS)
        CHECK_EQ(MPI_Request_get_status(*r, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (how == GET_STATUS_ALL)
        CHECK_EQ(MPI_Request_get_status_all(1, r, &flag, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    if (how == GET_STATUS_ANY)
        CHECK_EQ(MPI_Request_get_status_any(1, r, &index, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (how == GET_STATUS_SOME)
        CHECK_EQ(MPI_Request_get_status_some(1, r, &count, &index, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    if (how == PARRIVED)
        CHECK_EQ(MPI_Parrived(*r, 0, &flag), MPI_SUCCESS);
    return flag || count == 1;
}

static void receive(enum how how)
{
    MPI_Request r = arriving;

    if (how <= IMPROBE) {
        probe(how);
        return;
    }
    if (how != PARRIVED)
        CHECK_EQ(MPI_Irecv(&word, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    while (!ask(how, &r))
        ;
    if (r != MPI_REQUEST_NULL)
        CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (how == PARRIVED)
        CHECK_EQ(MPI_Start(&arriving), MPI_SUCCESS);
}

static void pass_on(enum how how)
{
    if (how != PARRIVED) {
        CHECK_EQ(MPI_Send(&word, 1, MPI_INT, right, 1, MPI_COMM_WORLD), MPI_SUCCESS);
        return;
    }
    CHECK_EQ(MPI_Start(&leaving), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready(0, leaving), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&leaving, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

/* Seconds that so many rounds take, rank 0's. */
static double go_round(enum how how, int rounds)
{
    double start;

    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        if (rank)
            receive(how);
        else
            word = i;
        pass_on(how);
        if (!rank)
            receive(how);
        CHECK(how == PARRIVED || word == i);
    }
    start = MPI_Wtime() - start;
    CHECK_EQ(MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    return start;
}

/* Nonblocking collectives: a duplicate of a communicator, asked for. */
static double duplicate(bool asks, int rounds)
{
    double start;

    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        MPI_Request r;
        MPI_Comm comm;
        int flag = 0;

        CHECK_EQ(MPI_Comm_idup(MPI_COMM_WORLD, &comm, &r), MPI_SUCCESS);
        while (asks && !flag)
            CHECK_EQ(MPI_Test(&r, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    }
    start = MPI_Wtime() - start;
    CHECK_EQ(MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    return start;
}

/* Other programs may take the core away, so one good try of a few is enough. */
static void hurry(enum how how)
{
    double ours = 0, least = 0;

    for (int i = 0; i < TRIES; i++) {
        least = how == HOWS ? duplicate(false, ROUNDS / 10) : go_round(RECV, ROUNDS);
        ours = how == HOWS ? duplicate(true, ROUNDS / 10) : go_round(how, ROUNDS);
        if (ours < TIMES * least)
            return;
    }
    fprintf(stderr, "kind %d: %.0f us in place of %.0f\n", how, ours * 1e6, least * 1e6);
    CHECK(ours < TIMES * least);
}

static void share_a_core(void)
{
    cpu_set_t set;
    int core = 0;

    CHECK_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    while (!CPU_ISSET(core, &set))
        core++;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    CHECK_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

int main(int argc, char **argv)
{
    static int from, to;

    share_a_core();
    MPI_Init(&argc, &argv);
    set_up();
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    CHECK_EQ(MPI_Precv_init(&to, 1, 1, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &arriving),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Psend_init(&from, 1, 1, MPI_INT, right, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &leaving),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&arriving), MPI_SUCCESS);
    for (int how = IPROBE; how <= HOWS; how++)
        hurry((enum how)how);
    /* the receive that is still active gets its message */
    pass_on(PARRIVED);
    CHECK_EQ(MPI_Wait(&arriving, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&arriving), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&leaving), MPI_SUCCESS);
    MPI_Finalize();
    return 0;
}
