/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[16] = {0}, bytes, n;
    void *p;
    char room[4096];
    begin();
    MPI_Pack_size(16, MPI_INT, MPI_COMM_WORLD, &bytes);
    MPI_Buffer_attach(room, bytes + MPI_BSEND_OVERHEAD);
    for (int k = 0; k < 5; k++) {
        if (rank == 0) {
            MPI_Bsend(x, 16, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(x, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Bsend(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
    }
    MPI_Buffer_detach(&p, &n);
    MPI_Finalize();
    return 0;
}
