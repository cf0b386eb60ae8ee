/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    int x = 0;

    begin();
    MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL); /* FAULT */
    MPI_Finalize();
    return 0;
}
