/* ranks: 3 */
#include "program.h"

int main(void)
{
    int x = 1, y;

    begin();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 200; i++) { /* who is refused takes no part */
        if (i % size == rank)
            MPI_Bcast(&x, -1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, size + rank, MPI_COMM_WORLD);
        MPI_Bcast(&x, 1, MPI_INT, i % size, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
