/* ranks: 3 */
#include "session.h"

/* Of three ranks one goes on alone, with sessions of its own. */
int main(void)
{
    MPI_Group group;

    begin_session();
    end_session();
    for (int i = 0; i < 2 && rank == 1; i++) {
        usleep(300000);
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Group_from_session_pset(session, "mpi://SELF", &group);
        MPI_Comm_create_from_group(group, "self", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        MPI_Group_free(&group);
        MPI_Barrier(comm);
        end_session();
    }
    return 0;
}
