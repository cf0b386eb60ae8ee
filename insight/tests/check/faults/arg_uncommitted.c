/* ranks: 1  fault: argument */
#include "program.h"

int main(void)
{
    int x[2] = {1, 2};
    MPI_Datatype type;

    begin();
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Send(x, 1, type, 0, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
