/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    int x[64] = {0};
    char room[4 * sizeof(int) + MPI_BSEND_OVERHEAD];
    void *p;
    int n;
    begin();
    if (rank == 0) {
        MPI_Buffer_attach(room, sizeof room);
        MPI_Bsend(x, 64, MPI_INT, 1, 0, MPI_COMM_WORLD); /* FAULT */
        MPI_Buffer_detach(&p, &n);
    } else
        MPI_Recv(x, 64, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
