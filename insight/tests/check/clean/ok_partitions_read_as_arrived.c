/* ranks: 2 */
#include "program.h"

int main(void)
{
    double x[8] = {0}, s = 0;
    MPI_Request q;
    int there;
    begin();
    if (rank == 0)
        MPI_Psend_init(x, 4, 2, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
    else
        MPI_Precv_init(x, 4, 2, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
    for (int k = 0; k < 3; k++) {
        MPI_Start(&q);
        for (int i = 3; i >= 0; i--) {
            if (rank == 0) {
                x[2 * i] = k;
                MPI_Pready(i, q);
            } else {
                for (there = 0; !there;)
                    MPI_Parrived(q, i, &there);
                s += x[2 * i] + x[2 * i + 1];
                x[2 * i] = s;
            }
        }
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&q);
    MPI_Finalize();
    return 0;
}
