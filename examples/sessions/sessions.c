/* sessions: a library that uses MPI and does not care whether the program does. It opens a session of its own, makes a communicator of
 * the processes in mpi://WORLD, and closes both, as often as it likes; MPI_Init is never called.
 *
 *     mpiexec -n 4 sessions
 */
#include <mpi.h>
#include <stdio.h>

/* The library's one service: the largest of the numbers of all processes. */
static int library_largest(int number)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int largest;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "org.example.largest", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Allreduce(&number, &largest, 1, MPI_INT, MPI_MAX, comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return largest;
}

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    int rank, size, largest = 0;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Group_rank(group, &rank);
    MPI_Group_size(group, &size);
    MPI_Group_free(&group);
    for (int call = 0; call < 3; call++)
        largest = library_largest(rank * 10);
    MPI_Session_finalize(&session);
    if (rank == 0)
        printf("the largest number of %d processes is %d\n", size, largest);
    return largest != (size - 1) * 10;
}
