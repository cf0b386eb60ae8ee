/* ranks: 4 */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x = 1, y;

    begin();
    inter = between(2);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    if (rank == 1) /* refused here, so it took no part */
        MPI_Allreduce(&x, &y, -1, MPI_INT, MPI_SUM, inter);
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, inter);
    MPI_Barrier(inter);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
