/* ranks: 2 4 */
/* R37: a receive with a wildcard despite the assertion against it, and a message shorter than an exact
 * receive, are errors that name the hint and the call that set it; nothing hangs, and later calls work. */
#include "note.h"

enum {
    COUNT = 1000000
};
static int numbers[COUNT + 1];

static void receive(MPI_Comm comm, int source, int tag, int error, const char *hint, const char *call)
{
    int in, out = 0, self = rank_in(comm);
    MPI_Request request = MPI_REQUEST_NULL;

    CHECK_EQ(MPI_Recv(&in, 1, MPI_INT, source, tag, comm, MPI_STATUS_IGNORE), error);
    expect_note(error, hint, call);
    CHECK_EQ(MPI_Irecv(&in, 1, MPI_INT, source, tag, comm, &request), error);
    expect_note(error, hint, call);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_EQ(MPI_Sendrecv(&out, 1, MPI_INT, self, 9, &in, 1, MPI_INT, source, tag, comm, MPI_STATUS_IGNORE),
             error);
    expect_note(error, hint, call);
}

static void send(MPI_Comm comm, int ints)
{
    for (int i = 0; i < ints; i++)
        numbers[i] = i + 1;
    CHECK_EQ(MPI_Send(numbers, ints, MPI_INT, 0, 6, comm), MPI_SUCCESS);
}

static void receive_too_much_room(MPI_Comm comm, int ints)
{
    memset(numbers, 0, sizeof numbers);
    CHECK_EQ(MPI_Recv(numbers, ints + 1, MPI_INT, 1, 6, comm, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    expect_note(MPI_ERR_TRUNCATE, EXACT_LENGTH, "set by MPI_Comm_set_info");
    CHECK_EQ(numbers[ints - 1], ints);
}

int main(int argc, char **argv)
{
    MPI_Comm a;
    int rank;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    a = dup_with_hint(MPI_COMM_WORLD, NO_ANY_SOURCE, "true");
    CHECK_EQ(MPI_Comm_set_errhandler(a, MPI_ERRORS_RETURN), MPI_SUCCESS);
    rank = rank_in(a);
    receive(a, MPI_ANY_SOURCE, 5, MPI_ERR_RANK, NO_ANY_SOURCE, "set by MPI_Comm_dup_with_info");
    set_hint(a, NO_ANY_TAG, "true");
    receive(a, 0, MPI_ANY_TAG, MPI_ERR_TAG, NO_ANY_TAG, "set by MPI_Comm_set_info");
    receive(a, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_ERR_RANK, NO_ANY_SOURCE, "set by MPI_Comm_dup_with_info");
    set_hint(a, NO_ANY_SOURCE, "false");
    receive(a, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_ERR_TAG, NO_ANY_TAG, "set by MPI_Comm_set_info");
    set_hint(a, EXACT_LENGTH, "true");
    for (int ints = 1; ints <= COUNT; ints *= 10) {
        if (rank == 1)
            send(a, ints);
        if (rank == 0)
            receive_too_much_room(a, ints);
    }
    if (rank == 1)
        CHECK_EQ(MPI_Send(numbers, 3, MPI_INT, 0, 6, a), MPI_SUCCESS);
    if (rank == 0) /* all is well afterwards */
        CHECK_EQ(MPI_Recv(numbers, 3, MPI_INT, MPI_ANY_SOURCE, 6, a, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
