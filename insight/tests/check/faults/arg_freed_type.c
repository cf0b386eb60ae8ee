/* ranks: 1  fault: argument */
#include "program.h"

int main(void)
{
    MPI_Datatype type, copy;
    int x[2] = {1, 2};

    begin();
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    copy = type;
    MPI_Type_free(&type);
    MPI_Send(x, 1, copy, 0, 0, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
