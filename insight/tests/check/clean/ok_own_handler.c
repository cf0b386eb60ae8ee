/* ranks: 1 */
#include "program.h"

static void handle(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    (void)error;
}

int main(void)
{
    MPI_Errhandler handler, got;
    int x = 1;

    begin();
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
    if (got != MPI_ERRORS_ARE_FATAL)
        return 1;
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Finalize();
    return 0;
}
