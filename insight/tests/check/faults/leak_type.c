/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Datatype x;

    begin();
    MPI_Type_contiguous(2, MPI_INT, &x); /* FAULT */
    (void)x;
    MPI_Finalize();
    return 0;
}
