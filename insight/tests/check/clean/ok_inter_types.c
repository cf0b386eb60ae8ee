/* ranks: 4 */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    double x[4] = {1, 2, 3, 4}, y[8] = {0};
    MPI_Datatype two, apart;

    begin();
    inter = between(2);
    MPI_Type_contiguous(2, MPI_DOUBLE, &two);
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &apart);
    MPI_Type_commit(&two);
    MPI_Type_commit(&apart);
    if (rank < 2) {
        MPI_Bcast(x, 2, two, rank == 1 ? MPI_ROOT : MPI_PROC_NULL, inter);
        MPI_Allgather(x, 1, apart, y, 4, MPI_DOUBLE, inter);
        MPI_Alltoall(x, 2, MPI_DOUBLE, y, 1, two, inter);
    } else {
        MPI_Bcast(x, 4, MPI_DOUBLE, 1, inter);
        MPI_Allgather(x, 2, two, y, 2, MPI_DOUBLE, inter);
        MPI_Alltoall(x, 1, two, y, 1, two, inter);
    }
    MPI_Type_free(&two);
    MPI_Type_free(&apart);
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
