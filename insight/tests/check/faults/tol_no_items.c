/* ranks: 2  fault: tolerance  says: the datatype of no items is MPI_DATATYPE_NULL */
#include "program.h"

int main(void)
{
    begin();
    if (rank == 0)
        MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
