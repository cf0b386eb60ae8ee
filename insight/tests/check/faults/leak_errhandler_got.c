/* ranks: 1  fault: leak */
#include "program.h"

static void handle(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    (void)error;
}

int main(void)
{
    MPI_Errhandler made, got;

    begin();
    MPI_Comm_create_errhandler(handle, &made);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, made);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &got); /* FAULT */
    MPI_Errhandler_free(&made);
    MPI_Finalize();
    return 0;
}
