/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    int x = 0;
    MPI_Request request;

    begin();
    MPI_Psend_init(&x, -1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* FAULT */
    MPI_Finalize();
    return 0;
}
