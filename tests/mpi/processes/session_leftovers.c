/* ranks: 1 2 4 not: counts */
/* A session is finalized while objects made from it live: they stay as they are and are useless, other
 * sessions and the World Model do not notice, and the library can be opened again. They count as left behind.
 */
#include "session.h"

static int deleted;

static int count_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

/* One of everything that a session can be left with. */
static void leave(MPI_Session session, int keyval)
{
    MPI_Comm comm = comm_of(session, "mpi://WORLD", "left"), dup,
             self = comm_of(session, "mpi://SELF", "left");
    MPI_Group group = group_of(session, "mpi://WORLD"), other;
    MPI_Request request, never;
    int buffer = 0;

    check_traffic(comm);
    CHECK_EQ(MPI_Comm_dup(comm, &dup), MPI_SUCCESS);
    check_traffic(dup);
    CHECK_EQ(MPI_Comm_set_attr(dup, keyval, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_excl(group, 0, NULL, &other), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv_init(&buffer, 1, MPI_INT, 0, 0, self, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce_init(MPI_IN_PLACE, &buffer, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &never),
             MPI_SUCCESS);
}

/* Messages that nobody waits for any more have been sent and are received: they arrive before the end. */
static void leave_under_way(MPI_Session session)
{
    static char big[3][100000];
    MPI_Comm comm = comm_of(session, "mpi://WORLD", "under way");
    MPI_Request request;
    int rank, size;

    CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
    memset(big[0], rank + 1, sizeof big[0]);
    CHECK_EQ(MPI_Isend(big[0], sizeof big[0], MPI_CHAR, (rank + 1) % size, 1, comm, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv(big[1], sizeof big[1], MPI_CHAR, (rank + size - 1) % size, 1, comm, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(big[1][sizeof big[1] - 1], (rank + size - 1) % size + 1);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Session kept = open_session(), session;
    MPI_Comm comm = comm_of(kept, "mpi://WORLD", "kept");
    int keyval, count;

    CHECK_EQ(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_delete, &keyval, NULL), MPI_SUCCESS);
    for (int life = 0; life < 3; life++) {
        session = open_session();
        leave(session, keyval);
        leave_under_way(session);
        close_session(&session);
        CHECK_EQ(deleted, 0); /* only freeing runs these */
        check_traffic(comm);
    }
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    check_traffic(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    check_traffic(comm);
    close_session(&kept); /* the last, with comm alive */
    kept = open_session();
    CHECK_EQ(MPI_Session_get_num_psets(kept, MPI_INFO_NULL, &count), MPI_SUCCESS);
    CHECK_EQ(count, 2);
    comm = comm_of(kept, "mpi://WORLD", "kept");
    check_traffic(comm);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free_keyval(&keyval), MPI_SUCCESS);
    close_session(&kept);
    return 0;
}
