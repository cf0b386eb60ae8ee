/* ranks: 1  fault: argument */
#include "program.h"

int main(void)
{
    int x = 1;
    float f = 1, g = 0;

    begin();
    MPI_Barrier(MPI_COMM_NULL); /* FAULT */
    (void)x;
    (void)f;
    (void)g;
    MPI_Finalize();
    return 0;
}
