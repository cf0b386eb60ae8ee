/* ranks: 2 3 4 also: INKLING_EAGER_LIMIT=0 */
/* The assertions against wildcards are made and taken back while messages wait for receives and receives for
 * messages. Each receive still gets the message that MPI's rules give it. */
#include "hints.h"

enum {
    RANKS = 4,
    TAGS = 3,
    MESSAGES = 60 /* of each rank but 0, to rank 0, with each tag in turn */
};

static int rank, size;
static int taken[RANKS][MESSAGES];

static int number_of(int source, int index)
{
    return 1000 * source + index;
}

static void send_all(MPI_Comm comm, MPI_Request *request)
{
    static int numbers[MESSAGES];

    for (int i = 0; rank > 0 && i < MESSAGES; i++) {
        numbers[i] = number_of(rank, i);
        CHECK_EQ(MPI_Isend(&numbers[i], 1, MPI_INT, 0, i % TAGS, comm, &request[i]), MPI_SUCCESS);
    }
}

static void wait_for_sends(MPI_Request *request)
{
    if (rank > 0)
        CHECK_EQ(MPI_Waitall(MESSAGES, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

static void set_both(MPI_Comm comm, int no_source, int no_tag)
{
    set_hint(comm, NO_ANY_SOURCE, no_source ? "true" : "false");
    set_hint(comm, NO_ANY_TAG, no_tag ? "true" : "false");
}

static int first_left(int source, int tag)
{
    int i = 0;

    while (i < MESSAGES && (taken[source][i] || (tag != MPI_ANY_TAG && i % TAGS != tag)))
        i++;
    return i;
}

/* It is the first one left of its source that fits. */
static void check_message(int in, const MPI_Status *s, int source, int tag)
{
    int i = first_left(s->MPI_SOURCE, tag);

    CHECK(source == MPI_ANY_SOURCE || source == s->MPI_SOURCE);
    CHECK(i < MESSAGES);
    CHECK_EQ(s->MPI_TAG, i % TAGS);
    CHECK_EQ(in, number_of(s->MPI_SOURCE, i));
    taken[s->MPI_SOURCE][i] = 1;
}

static void receive_if_there(MPI_Comm comm, int source, int tag)
{
    int in = -1, found, expected = 0;
    MPI_Status status;

    for (int s = 1; s < size; s++)
        expected |= (source == MPI_ANY_SOURCE || source == s) && first_left(s, tag) < MESSAGES;
    CHECK_EQ(MPI_Iprobe(source, tag, comm, &found, &status), MPI_SUCCESS);
    CHECK_EQ(found, expected);
    if (!found)
        return;
    CHECK_EQ(MPI_Recv(&in, 1, MPI_INT, source, tag, comm, &status), MPI_SUCCESS);
    check_message(in, &status, source, tag);
}

static void messages_wait(MPI_Comm comm)
{
    MPI_Request request[MESSAGES];

    memset(taken, 0, sizeof taken);
    set_both(comm, 1, 1);
    send_all(comm, request);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS); /* all have come */
    for (int time = 0; time < MESSAGES; time++) {
        int no_source = time % 4 & 1, no_tag = time % 4 / 2;

        set_both(comm, no_source, no_tag);
        for (int i = 0; rank == 0 && i < 2 * size; i++)
            receive_if_there(comm, !no_source && i % 3 == 0 ? MPI_ANY_SOURCE : 1 + i % (size - 1),
                             !no_tag && i % 2 == 0 ? MPI_ANY_TAG : (time + i) % TAGS);
    }
    wait_for_sends(request);
    for (int s = 1; rank == 0 && s < size; s++)
        CHECK_EQ(first_left(s, MPI_ANY_TAG), MESSAGES);
}

/* Wildcard receives that were posted before the assertion stay valid. */
static void receives_wait(MPI_Comm comm, int any_source, int any_tag)
{
    int in[RANKS * MESSAGES], count = MESSAGES * (size - 1);
    MPI_Request request[MESSAGES], receives[RANKS * MESSAGES];
    MPI_Status status[RANKS * MESSAGES];

    memset(taken, 0, sizeof taken);
    set_both(comm, 0, 0);
    for (int i = 0; rank == 0 && i < count; i++)
        CHECK_EQ(MPI_Irecv(&in[i], 1, MPI_INT, any_source ? MPI_ANY_SOURCE : 1 + i / MESSAGES,
                           any_tag ? MPI_ANY_TAG : i % TAGS, comm, &receives[i]),
                 MPI_SUCCESS);
    set_both(comm, 1, 1);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    send_all(comm, request);
    if (rank == 0)
        CHECK_EQ(MPI_Waitall(count, receives, status), MPI_SUCCESS);
    for (int i = 0; rank == 0 && i < count; i++)
        check_message(in[i], &status[i], any_source ? MPI_ANY_SOURCE : 1 + i / MESSAGES,
                      any_tag ? MPI_ANY_TAG : i % TAGS);
    wait_for_sends(request);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    rank = rank_in(MPI_COMM_WORLD);
    size = size_of(MPI_COMM_WORLD);
    CHECK(size <= RANKS);
    comm = dup_of(MPI_COMM_WORLD);
    messages_wait(comm);
    for (int kind = 0; kind < 4; kind++)
        receives_wait(comm, kind & 1, kind & 2);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
