/* ranks: 1 2 */
/* A wrong call reaches the handler of its communicator, once, with that communicator; nothing was sent or
 * posted, and the calls after it work. */
#include "p2p.h"

static int calls, last_class;
static MPI_Comm last_comm;

static void note_call(MPI_Comm *comm, int *code, ...)
{
    calls++;
    last_comm = *comm;
    MPI_Error_class(*code, &last_class);
}

static void expect(int line, int code, int class, MPI_Comm comm)
{
    int found = -1;

    MPI_Error_class(code, &found);
    check_equal(__FILE__, line, "class returned", found, class);
    check_equal(__FILE__, line, "calls of the handler", calls, 1);
    check_equal(__FILE__, line, "class given to the handler", last_class, class);
    check_equal(__FILE__, line, "communicator given to the handler", last_comm == comm, 1);
    calls = 0;
}
#define EXPECT(call, class) expect(__LINE__, call, class, comm)

static void wrong_calls(MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int word = 1, other, flag;

    EXPECT(MPI_Send(&word, 1, MPI_INT, size, 0, comm), MPI_ERR_RANK);
    EXPECT(MPI_Ssend(&word, 1, MPI_INT, -9, 0, comm), MPI_ERR_RANK);
    EXPECT(MPI_Rsend(&word, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT);
    EXPECT(MPI_Isend(&word, 1, MPI_INT, 0, -4, comm, &request), MPI_ERR_TAG);
    EXPECT(MPI_Issend(&word, 1, MPI_DATATYPE_NULL, 0, 0, comm, &request), MPI_ERR_TYPE);
    EXPECT(MPI_Irsend(NULL, 1, MPI_INT, 0, 0, comm, &request), MPI_ERR_BUFFER);
    EXPECT(MPI_Recv(&word, 1, MPI_INT, size, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    EXPECT(MPI_Irecv(&word, -1, MPI_INT, 0, 0, comm, &request), MPI_ERR_COUNT);
    EXPECT(MPI_Probe(0, -5, comm, MPI_STATUS_IGNORE), MPI_ERR_TAG);
    EXPECT(MPI_Iprobe(size + 3, 0, comm, &flag, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    EXPECT(MPI_Sendrecv(&word, 1, MPI_INT, 0, 0, &other, 1, MPI_INT, 0, -8, comm, MPI_STATUS_IGNORE),
           MPI_ERR_TAG);
    CHECK_EQ(request, MPI_REQUEST_NULL);
}

static void right_calls(MPI_Comm comm)
{
    int word = rank, got = -1, flag = 1, to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Status status;

    CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv(&word, 1, MPI_INT, to, 0, &got, 1, MPI_INT, from, 0, comm, &status), MPI_SUCCESS);
    CHECK_EQ(got, from);
    CHECK_STATUS(&status, from, 0, 4);
    CHECK_EQ(calls, 0);
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    set_up();
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create_errhandler(note_call, &handler), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(comm, handler), MPI_SUCCESS);
    CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
    for (int i = 0; i < 3; i++) {
        wrong_calls(comm);
        right_calls(comm);
    }
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    MPI_Finalize();
    return 0;
}
