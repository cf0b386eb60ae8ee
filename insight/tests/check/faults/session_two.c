/* ranks: 2  fault: argument */
#include "program.h"

/* a group of one session and one of another in one call */
int main(void)
{
    MPI_Session a, b;
    MPI_Group g, h, u;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &a);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &b);
    MPI_Group_from_session_pset(a, "mpi://WORLD", &g);
    MPI_Group_from_session_pset(b, "mpi://SELF", &h);
    MPI_Group_union(g, h, &u); /* FAULT */
    MPI_Group_free(&g);
    MPI_Group_free(&h);
    MPI_Group_free(&u);
    MPI_Session_finalize(&a);
    MPI_Session_finalize(&b);
    return 0;
}
