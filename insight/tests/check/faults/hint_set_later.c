/* ranks: 2  fault: hint */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Info info;

    begin();
    info = info_with("mpi_assert_no_any_source", "true");
    MPI_Comm_set_info(MPI_COMM_WORLD, info);
    MPI_Info_free(&info);
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
