/* ranks: 2  fault: type-mismatch */
#include "program.h"

int main(void)
{
    MPI_Datatype t;
    double d[6] = {0};
    begin();
    MPI_Type_vector_c(3, 1, 2, rank ? MPI_FLOAT : MPI_DOUBLE, &t);
    MPI_Type_commit(&t);
    if (rank == 0)
        MPI_Send_c(d, 1, t, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv_c(d, 1, t, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Type_free(&t);
    MPI_Finalize();
    return 0;
}
