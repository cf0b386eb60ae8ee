/* ranks: 1 2 4 */
/* A session's buffer serves the communicators that come from it, unless they have one of their own; no other.
 */
#include "session.h"

enum {
    LENGTH = 1000,
    ROOM = LENGTH + MPI_BSEND_OVERHEAD
};

static char room[ROOM], small[MPI_BSEND_OVERHEAD + 10];

static int bsend_class(MPI_Comm comm, int length)
{
    static char out[LENGTH];
    int rank, size, code, class;

    CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
    memset(out, rank + 1, sizeof out);
    code = MPI_Bsend(out, length, MPI_CHAR, (rank + 1) % size, 3, comm);
    CHECK_EQ(MPI_Error_class(code, &class), MPI_SUCCESS);
    return class;
}

static void receive(MPI_Comm comm, int length)
{
    char in[LENGTH];
    int rank, size, from;

    CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
    from = (rank + size - 1) % size;
    CHECK_EQ(MPI_Recv(in, length, MPI_CHAR, from, 3, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < length; i++)
        CHECK_EQ(in[i], from + 1);
}

int main(void)
{
    MPI_Session session = open_session(), other = open_session();
    MPI_Comm comm = comm_of(session, "mpi://WORLD", "a"), dup, foreign = comm_of(other, "mpi://WORLD", "b");
    MPI_Request flush;
    void *back;
    int size, class;

    CHECK_EQ(bsend_class(comm, LENGTH), MPI_ERR_BUFFER);
    CHECK_EQ(MPI_Error_class(MPI_Session_detach_buffer(session, &back, &size), &class), MPI_SUCCESS);
    CHECK_EQ(class, MPI_ERR_BUFFER);
    CHECK_EQ(MPI_Session_attach_buffer(session, room, ROOM), MPI_SUCCESS);
    CHECK_EQ(MPI_Error_class(MPI_Session_attach_buffer(session, room, ROOM), &class), MPI_SUCCESS);
    CHECK_EQ(class, MPI_ERR_BUFFER);

    CHECK_EQ(bsend_class(comm, LENGTH), MPI_SUCCESS);
    receive(comm, LENGTH);
    CHECK_EQ(MPI_Session_flush_buffer(session), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(comm, &dup), MPI_SUCCESS); /* derived from the session, too */
    CHECK_EQ(bsend_class(dup, LENGTH), MPI_SUCCESS);
    receive(dup, LENGTH);
    CHECK_EQ(MPI_Session_iflush_buffer(session, &flush), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&flush, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(bsend_class(foreign, LENGTH), MPI_ERR_BUFFER);

    CHECK_EQ(MPI_Comm_attach_buffer(comm, small, sizeof small), MPI_SUCCESS);
    CHECK_EQ(bsend_class(comm, LENGTH), MPI_ERR_BUFFER); /* the nearest one counts */
    CHECK_EQ(bsend_class(comm, 10), MPI_SUCCESS);
    receive(comm, 10);
    CHECK_EQ(MPI_Comm_detach_buffer(comm, &back, &size), MPI_SUCCESS);
    CHECK(back == small);

    CHECK_EQ(MPI_Session_detach_buffer(session, &back, &size), MPI_SUCCESS);
    CHECK(back == room);
    CHECK_EQ(size, ROOM);
    CHECK_EQ(MPI_Session_attach_buffer(session, MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
    CHECK_EQ(bsend_class(comm, LENGTH), MPI_SUCCESS);
    receive(comm, LENGTH);
    CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&foreign), MPI_SUCCESS);
    close_session(&session);
    close_session(&other);
    return 0;
}
