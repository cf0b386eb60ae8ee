/* ranks: 2  fault: buffer  needs: watchpoints */
#include "program.h"

int main(void)
{
    double x[8] = {0}, s = 0;
    MPI_Request q;
    int there = 0;
    begin();
    if (rank == 0) {
        MPI_Psend_init(x, 4, 2, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
        MPI_Start(&q);
        for (int i = 0; i < 4; i++)
            MPI_Pready(i, q);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    } else {
        MPI_Precv_init(x, 4, 2, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
        MPI_Start(&q);
        while (!there)
            MPI_Parrived(q, 1, &there);
        s = x[0]; /* FAULT */
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&q);
    MPI_Finalize();
    return s > 100;
}
