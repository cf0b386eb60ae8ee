/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Datatype type;

    begin();
    MPI_Type_dup(MPI_INT, &type); /* FAULT */
    MPI_Finalize();
    return 0;
}
