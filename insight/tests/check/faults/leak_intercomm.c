/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Comm half, inter;

    begin();
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 7, &inter); /* FAULT */
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
