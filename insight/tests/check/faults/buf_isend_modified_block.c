/* ranks: 2  fault: buffer */
#include "program.h"

/* The block lies far behind the address that is given. */
int main(void)
{
    static int x[1000];
    MPI_Datatype block;
    MPI_Request request;

    begin();
    MPI_Type_create_hindexed(1, (int[]){4}, (MPI_Aint[]){900 * sizeof(int)}, MPI_INT, &block);
    MPI_Type_commit(&block);
    if (rank == 0) {
        MPI_Isend(x, 1, block, 1, 0, MPI_COMM_WORLD, &request); /* FAULT */
        x[903] = 5;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(x, 1, block, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&block);
    MPI_Finalize();
    return 0;
}
