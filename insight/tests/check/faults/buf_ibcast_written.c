/* ranks: 2  fault: buffer  line: guards  says: the program wrote to the buffer */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x[4] = {0};

    begin();
    MPI_Ibcast(x, 4, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (rank == 1)
        x[2] = 5; /* FAULT */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
