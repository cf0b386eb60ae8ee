/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Request x;
    int y = 0;

    begin();
    MPI_Send_init(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &x); /* FAULT */
    (void)x;
    MPI_Finalize();
    return 0;
}
