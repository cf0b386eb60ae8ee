/* ranks: 1  fault: argument */
#include "program.h"

int main(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    begin();
    MPI_Comm_free(&comm); /* FAULT */
    MPI_Finalize();
    return 0;
}
