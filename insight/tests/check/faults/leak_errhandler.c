/* ranks: 2  fault: leak */
#include "program.h"

static void handle(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    (void)error;
}

int main(void)
{
    MPI_Errhandler x;

    begin();
    MPI_Comm_create_errhandler(handle, &x); /* FAULT */
    (void)x;
    MPI_Finalize();
    return 0;
}
