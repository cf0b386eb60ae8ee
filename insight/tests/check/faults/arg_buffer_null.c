/* ranks: 1  fault: argument */
#include "program.h"

int main(void)
{
    int x = 1;
    float f = 1, g = 0;

    begin();
    MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* FAULT */
    (void)x;
    (void)f;
    (void)g;
    MPI_Finalize();
    return 0;
}
