/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    MPI_Datatype type;

    begin();
    MPI_Type_vector(-2, 1, 1, MPI_INT, &type); /* FAULT */
    MPI_Finalize();
    return 0;
}
