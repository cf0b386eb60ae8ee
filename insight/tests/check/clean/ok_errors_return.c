/* ranks: 2 */
#include "program.h"

static int class_of(int error)
{
    int class;

    MPI_Error_class(error, &class);
    return class;
}

/* What is refused has not been sent. */
int main(void)
{
    int x = 1, y;

    begin();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (class_of(MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD)) != MPI_ERR_RANK)
        return 1;
    if (class_of(MPI_Sendrecv(&x, 1, MPI_INT, 1 - rank, 0, &y, 1, MPI_INT, 99, 0, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE)) != MPI_ERR_RANK)
        return 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
