/* ranks: 1  fault: tolerance  says: the names of process sets are spelled mpi://WORLD and mpi://SELF */
#include "program.h"

int main(void)
{
    MPI_Session session;
    MPI_Group group;

    begin();
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://world", &group); /* FAULT */
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return 0;
}
