/* ranks: 2 */
#include "program.h"

static int heard;

static void hear(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    heard += *comm == MPI_COMM_SELF ? 1 : 100;
}

/* Errors without an object are MPI_COMM_SELF's. */
int main(void)
{
    MPI_Errhandler handler;
    MPI_Datatype type;

    begin();
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
    if (MPI_Type_contiguous(-1, MPI_INT, &type) == MPI_SUCCESS || heard != 1)
        return 1;
    MPI_Finalize();
    return 0;
}
