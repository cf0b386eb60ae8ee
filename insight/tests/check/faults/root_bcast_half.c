/* ranks: 4  fault: root-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm half;
    int x = 0;

    begin();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Bcast(&x, 1, MPI_INT, rank == 3 ? 1 : 0, half); /* FAULT */
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
