/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    MPI_Session a;
    MPI_Group g, h, u;
    begin();
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &a);
    MPI_Group_from_session_pset(a, "mpi://WORLD", &g);
    MPI_Comm_group(MPI_COMM_WORLD, &h);
    MPI_Group_intersection(g, h, &u); /* FAULT */
    MPI_Group_free(&g);
    MPI_Group_free(&h);
    MPI_Group_free(&u);
    MPI_Session_finalize(&a);
    MPI_Finalize();
    return 0;
}
