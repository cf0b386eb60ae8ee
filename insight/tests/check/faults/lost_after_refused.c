/* ranks: 2  fault: lost-message */
#include "program.h"

/* A receive that was refused waits for nothing. */
int main(void)
{
    MPI_Request request;
    int x = 1;

    begin();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD); /* FAULT */
    else if (!MPI_Irecv(&x, -1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
