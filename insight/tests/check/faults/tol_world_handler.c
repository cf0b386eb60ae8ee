/* ranks: 2  fault: tolerance  says: an error that belongs to no object goes to the error handler of MPI_COMM_WORLD */
#include "program.h"

static MPI_Comm heard_on;

static void hear(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    heard_on = *comm;
}

/* The handler is called as without --check, for errors without an object and for those of MPI_COMM_WORLD. */
int main(void)
{
    MPI_Errhandler handler;
    MPI_Datatype type;

    begin();
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    if (MPI_Type_contiguous(-1, MPI_INT, &type) == MPI_SUCCESS || heard_on != MPI_COMM_WORLD) /* FAULT */
        return 1;
    heard_on = MPI_COMM_NULL;
    if (MPI_Send(NULL, 0, MPI_INT, 99, 0, MPI_COMM_WORLD) == MPI_SUCCESS || heard_on != MPI_COMM_WORLD)
        return 1;
    MPI_Finalize();
    return 0;
}
