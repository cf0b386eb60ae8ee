/* ranks: 2  fault: buffer */
#include "program.h"

int main(void)
{
    int x[4] = {0}, y[2];
    MPI_Request q;
    begin();
    if (rank == 0) {
        MPI_Psend_init(x, 2, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
        MPI_Start(&q);
        MPI_Pready_range(0, 1, q);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    } else {
        MPI_Precv_init(x, 2, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
        MPI_Start(&q);
        MPI_Sendrecv(x, 2, MPI_INT, 1, 5, y, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&q);
    MPI_Finalize();
    return 0;
}
