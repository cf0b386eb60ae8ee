/* ranks: 2 4 timeout: 60 also: INKLING_CMA=false */
/* A large receive on a communicator whose ranks assert exact lengths is advertised: the sender writes
 * straight into the buffer and does not wait until the receiver is in MPI again. Whatever else the receiver
 * does (cancel, post wildcards before, send other messages in between), each receive gets its message. */
#include "hints.h"
#include "outside.h"

#include <sys/uio.h>
#include <unistd.h>

enum {
    INTS = 300000,
    WINDOW = 20,
    PATIENCE = 40 /* seconds: longer than anything takes */
};

static int rank, size;
static int out[WINDOW][INTS / WINDOW], in[WINDOW][INTS / WINDOW];
static int large[INTS];

static void fill(int *to, int ints, int number)
{
    for (int i = 0; i < ints; i++)
        to[i] = number * 1000 + i;
}

static void check(const int *at, int ints, int number)
{
    for (int i = 0; i < ints; i++)
        if (at[i] != number * 1000 + i)
            CHECK_EQ(at[i], number * 1000 + i);
}

/* Whether the system lets rank 0 write into rank 1's memory. */
static int can_write(void)
{
    static int word;
    long there[2] = {getpid(), (long)&word}, ok = 0;

    if (rank == 1)
        CHECK_EQ(MPI_Send(there, 2, MPI_LONG, 0, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0) {
        struct iovec mine = {&word, sizeof word}, its = {NULL, sizeof word};

        CHECK_EQ(MPI_Recv(there, 2, MPI_LONG, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        its.iov_base = (void *)there[1];
        ok = process_vm_writev((pid_t)there[0], &mine, 1, &its, 1, 0) == sizeof word;
    }
    CHECK_EQ(MPI_Bcast(&ok, 1, MPI_LONG, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    return ok && !getenv("INKLING_CMA");
}

/* The receiver posts, and does not call MPI until the sender is done; or for a while, if the sender has to
 * wait. */
static void sender_does_not_wait(MPI_Comm comm, int expected)
{
    MPI_Request request = MPI_REQUEST_NULL;
    pid_t other = outside_introduce(rank);
    int called = 0;

    if (rank == 1)
        CHECK_EQ(MPI_Irecv(large, INTS, MPI_INT, 0, 3, comm, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 1) {
        outside_call(other);
        called = outside_wait(expected ? PATIENCE : 0.3);
        CHECK_EQ(called, expected);
    }
    if (rank == 0) {
        CHECK(outside_wait(PATIENCE));
        fill(large, INTS, 7);
        CHECK_EQ(MPI_Ssend(large, INTS, MPI_INT, 1, 3, comm), MPI_SUCCESS);
        outside_call(other);
    }
    if (rank == 1) {
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        check(large, INTS, 7);
        CHECK(called || outside_wait(PATIENCE));
    }
}

/* More receives than can be advertised at a time, posted before their messages and while they come. */
static void window(MPI_Comm comm, int synchronise)
{
    MPI_Request request[2 * WINDOW];
    int right = (rank + 1) % size, left = (rank + size - 1) % size, ints = INTS / WINDOW;

    for (int i = 0; i < WINDOW; i++) {
        memset(in[i], 0, sizeof in[i]);
        CHECK_EQ(MPI_Irecv(in[i], ints, MPI_INT, left, i % 3, comm, &request[i]), MPI_SUCCESS);
    }
    if (synchronise)
        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < WINDOW; i++) {
        fill(out[i], ints, i);
        CHECK_EQ(MPI_Isend(out[i], ints, MPI_INT, right, i % 3, comm, &request[WINDOW + i]), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Waitall(2 * WINDOW, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < WINDOW; i++)
        check(in[i], ints, i);
}

/* A receive that is cancelled leaves its buffer alone, and its message to the next one. */
static void cancelled(MPI_Comm comm)
{
    int ints = INTS / WINDOW, was_cancelled;
    MPI_Request request;
    MPI_Status status;

    if (rank == 1) {
        memset(in, 0, sizeof in);
        CHECK_EQ(MPI_Irecv(in[0], ints, MPI_INT, 0, 4, comm, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Cancel(&request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
        CHECK_EQ(MPI_Test_cancelled(&status, &was_cancelled), MPI_SUCCESS);
        CHECK(was_cancelled);
        CHECK_EQ(MPI_Irecv(in[1], ints, MPI_INT, 0, 4, comm, &request), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0) {
        fill(out[0], ints, 5);
        CHECK_EQ(MPI_Send(out[0], ints, MPI_INT, 1, 4, comm), MPI_SUCCESS);
    }
    if (rank != 1)
        return;
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    CHECK_EQ(status.MPI_SOURCE, 0);
    CHECK_EQ(status.MPI_TAG, 4);
    check(in[1], ints, 5);
    for (int i = 0; i < ints; i++)
        CHECK_EQ(in[0][i], 0);
}

/* The same with a small message of the tag under way, and with a wildcard that waits before. */
static void not_the_next(MPI_Comm comm)
{
    int ints = INTS / WINDOW, small = 42;
    MPI_Request request[2];

    if (rank == 0)
        CHECK_EQ(MPI_Send(&small, 1, MPI_INT, 1, 6, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 1) {
        int word = 0;

        CHECK_EQ(MPI_Irecv(in[0], ints, MPI_INT, MPI_ANY_SOURCE, 7, comm, &request[0]), MPI_SUCCESS);
        CHECK_EQ(MPI_Irecv(in[1], ints, MPI_INT, 0, 7, comm, &request[1]), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&word, 1, MPI_INT, 0, 6, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(word, 42);
    }
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; rank == 0 && i < 2; i++) {
        fill(out[i], ints, 8 + i);
        CHECK_EQ(MPI_Send(out[i], ints, MPI_INT, 1, 7, comm), MPI_SUCCESS);
    }
    if (rank != 1)
        return;
    CHECK_EQ(MPI_Waitall(2, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    check(in[0], ints, 8);
    check(in[1], ints, 9);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int writable;

    outside_init();
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    rank = rank_in(MPI_COMM_WORLD);
    size = size_of(MPI_COMM_WORLD);
    writable = can_write();
    comm = dup_of(MPI_COMM_WORLD);
    sender_does_not_wait(comm, 0);
    for (int kind = 3; kind >= 0; kind--) { /* both assert, one does, nobody does; all starts again */
        set_hint(comm, EXACT_LENGTH, (rank % 2 ? kind & 1 : kind & 2) ? "true" : "false");
        sender_does_not_wait(comm, writable && kind == 3);
        window(comm, 1);
        window(comm, 0);
        cancelled(comm);
        not_the_next(comm);
    }
    set_hint(comm, EXACT_LENGTH, "true");
    sender_does_not_wait(comm, writable);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
