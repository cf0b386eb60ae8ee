/* ranks: 3  fault: count-mismatch */
#include "program.h"

int main(void)
{
    MPI_Comm ring;
    int out[4] = {0}, in[4], dim = 3, yes = 1;

    begin();
    MPI_Cart_create(MPI_COMM_WORLD, 1, &dim, &yes, 0, &ring);
    MPI_Neighbor_alltoall(out, rank == 0 ? 2 : 1, MPI_INT, in, rank == 0 ? 2 : 1, MPI_INT, ring); /* FAULT */
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
