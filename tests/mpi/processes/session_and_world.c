/* ranks: 1 2 4 */
/* Sessions before, around, inside and after the World Model. */
#include "session.h"

int main(int argc, char **argv)
{
    MPI_Session before, inside, after;
    MPI_Comm old, comm;
    int flag;

    before = open_session();
    close_session(&before);

    before = open_session();
    old = comm_of(before, "mpi://WORLD", "before");
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    check_traffic(MPI_COMM_WORLD);
    check_traffic(old);
    inside = open_session();
    comm = comm_of(inside, "mpi://WORLD", "inside");
    check_traffic(comm);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    close_session(&inside);
    check_traffic(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);

    check_traffic(old); /* its session is still open */
    CHECK_EQ(MPI_Comm_free(&old), MPI_SUCCESS);
    close_session(&before);

    after = open_session();
    comm = comm_of(after, "mpi://WORLD", "after");
    check_traffic(comm);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    close_session(&after);
    CHECK_EQ(MPI_Finalized(&flag), MPI_SUCCESS);
    CHECK(flag);
    return 0;
}
