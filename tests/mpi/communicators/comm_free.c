/* ranks: 1 2 4 */
/* MPI_Comm_free and MPI_Comm_disconnect: dead handles, living operations, refused communicators; names. */
#include "check.h"

#include <unistd.h>

static int rank, size;

static void pending_operations_complete(void)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, got = -1, big[20000], bigger[20000];
    MPI_Request request[2];
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 20000; i++)
        big[i] = rank + i;
    MPI_Irecv(&got, 1, MPI_INT, left, 1, comm, &request[0]);
    MPI_Irecv(bigger, 20000, MPI_INT, left, 2, comm, &request[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, right, 1, comm);
    {
        MPI_Request sending;

        MPI_Isend(big, 20000, MPI_INT, right, 2, comm, &sending);
        CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
        CHECK_EQ(MPI_Waitall(2, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&sending, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    CHECK_EQ(got, left);
    CHECK_EQ(bigger[0], left);
    CHECK_EQ(bigger[19999], left + 19999);
}

static void freed_handle_is_refused(void)
{
    MPI_Comm comm, stale;
    int n;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    stale = comm;
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(stale, &n), MPI_ERR_COMM);
    CHECK_EQ(MPI_Comm_free(&stale), MPI_ERR_COMM);
    MPI_Comm_dup(MPI_COMM_SELF, &comm); /* takes the same memory */
    CHECK_EQ(MPI_Comm_size(stale, &n), MPI_ERR_COMM);
    CHECK_EQ(MPI_Comm_size(comm, &n), MPI_SUCCESS);
    MPI_Comm_free(&comm);
}

static void predefined_communicators_stay(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_ERR_COMM);
    CHECK(comm == MPI_COMM_WORLD);
    CHECK_EQ(MPI_Comm_disconnect(&comm), MPI_ERR_COMM);
    comm = MPI_COMM_SELF;
    CHECK_EQ(MPI_Comm_free(&comm), MPI_ERR_COMM);
    comm = MPI_COMM_NULL;
    CHECK_EQ(MPI_Comm_free(&comm), MPI_ERR_COMM);
    CHECK_EQ(MPI_Comm_disconnect(&comm), MPI_ERR_COMM);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void disconnect_frees(void)
{
    MPI_Comm comm;
    int got;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0, comm,
                 MPI_STATUS_IGNORE);
    CHECK_EQ(MPI_Comm_disconnect(&comm), MPI_SUCCESS);
    CHECK(comm == MPI_COMM_NULL);
}

/* Sends whose requests are freed, or that wait in a buffer, have left when MPI_Comm_disconnect returns: what
 * the program then writes to their memory does not arrive. The receiver comes late. */
static void disconnect_waits_for_what_is_under_way(void)
{
    enum {
        COUNT = 100000
    };
    static int out[COUNT], in[COUNT], buffer[2 * COUNT];
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Request request;
    MPI_Comm comm;
    void *detached;
    int bytes;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK_EQ(MPI_Buffer_attach(buffer, sizeof buffer), MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++)
        out[i] = rank * COUNT + i;
    CHECK_EQ(MPI_Isend(out, COUNT, MPI_INT, right, 1, comm, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Bsend(out, COUNT, MPI_INT, right, 2, comm), MPI_SUCCESS);
    if (rank == 0)
        usleep(50000);
    for (int tag = 2; tag > 0; tag--) {
        CHECK_EQ(MPI_Recv(in, COUNT, MPI_INT, left, tag, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
        for (int i = 0; i < COUNT; i++)
            CHECK_EQ(in[i], left * COUNT + i);
    }
    CHECK_EQ(MPI_Comm_disconnect(&comm), MPI_SUCCESS);
    memset(out, 0, sizeof out);
    CHECK_EQ(MPI_Buffer_detach(&detached, &bytes), MPI_SUCCESS);
}

/* The same where this process receives nothing, and so has nothing to do but to leave. */
static void disconnect_waits_for_the_receiver(void)
{
    enum {
        COUNT = 300000
    };
    static int data[COUNT];
    MPI_Request request;
    MPI_Comm comm;

    if (size < 2)
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0) {
        for (int i = 0; i < COUNT; i++)
            data[i] = i;
        CHECK_EQ(MPI_Isend(data, COUNT, MPI_INT, 1, 0, comm, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    } else if (rank == 1) {
        usleep(50000);
        CHECK_EQ(MPI_Recv(data, COUNT, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
        for (int i = 0; i < COUNT; i++)
            CHECK_EQ(data[i], i);
    }
    CHECK_EQ(MPI_Comm_disconnect(&comm), MPI_SUCCESS);
    memset(data, 0, sizeof data);
}

static void made_and_freed_often(void)
{
    for (int i = 0; i < 2000; i++) {
        MPI_Comm comm;

        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    }
}

static void check_name(MPI_Comm comm, const char *expected)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;

    CHECK_EQ(MPI_Comm_get_name(comm, name, &length), MPI_SUCCESS);
    CHECK_STR(name, expected);
    CHECK_EQ(length, strlen(expected));
}

static void names(void)
{
    char longest[MPI_MAX_OBJECT_NAME + 10];
    MPI_Comm comm;

    check_name(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    check_name(MPI_COMM_SELF, "MPI_COMM_SELF");
    check_name(MPI_COMM_NULL, "MPI_COMM_NULL");
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    check_name(comm, "");
    CHECK_EQ(MPI_Comm_set_name(comm, "  leading"), MPI_SUCCESS);
    check_name(comm, "  leading");
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    CHECK_EQ(MPI_Comm_set_name(comm, longest), MPI_SUCCESS);
    longest[MPI_MAX_OBJECT_NAME - 1] = '\0';
    check_name(comm, longest);
    CHECK_EQ(MPI_Comm_set_name(comm, ""), MPI_SUCCESS);
    check_name(comm, "");
    CHECK_EQ(MPI_Comm_set_name(MPI_COMM_NULL, "x"), MPI_ERR_COMM);
    MPI_Comm_free(&comm);
    CHECK_EQ(MPI_Comm_set_name(MPI_COMM_SELF, "mine"), MPI_SUCCESS);
    check_name(MPI_COMM_SELF, "mine");
}

static void kinds(void)
{
    int flag = -1, n;
    MPI_Comm parent = MPI_COMM_SELF;
    MPI_Group group;

    CHECK_EQ(MPI_Comm_test_inter(MPI_COMM_WORLD, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_Comm_get_parent(&parent), MPI_SUCCESS);
    CHECK(parent == MPI_COMM_NULL); /* started, not spawned */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Comm_remote_size(MPI_COMM_WORLD, &n), MPI_ERR_COMM);
    CHECK_EQ(MPI_Comm_remote_group(MPI_COMM_WORLD, &group), MPI_ERR_COMM);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    pending_operations_complete();
    freed_handle_is_refused();
    predefined_communicators_stay();
    disconnect_frees();
    disconnect_waits_for_what_is_under_way();
    disconnect_waits_for_the_receiver();
    made_and_freed_often();
    names();
    kinds();
    MPI_Finalize();
    return 0;
}
