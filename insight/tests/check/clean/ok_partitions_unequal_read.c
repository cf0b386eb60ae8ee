/* ranks: 2 */
#include "program.h"

/* 8 partitions are sent, 2 received: each is used once it has arrived */
int main(void)
{
    int x[16] = {0}, s = 0, there;
    MPI_Request q;
    begin();
    if (rank == 0) {
        MPI_Psend_init(x, 8, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
        MPI_Start(&q);
        MPI_Pready_range(4, 7, q);
        MPI_Pready_list(4, (int[]){0, 3, 2, 1}, q);
    } else {
        MPI_Precv_init(x, 2, 8, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
        MPI_Start(&q);
        for (int i = 1; i >= 0; i--) {
            for (there = 0; !there;)
                MPI_Parrived(q, i, &there);
            s += x[8 * i];
        }
    }
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Request_free(&q);
    MPI_Finalize();
    return 0;
}
