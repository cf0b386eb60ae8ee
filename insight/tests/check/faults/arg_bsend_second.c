/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    int x[16] = {0};
    char room[16 * sizeof(int) + MPI_BSEND_OVERHEAD];
    void *p;
    int n;
    begin();
    if (rank == 0) {
        MPI_Buffer_attach(room, sizeof room);
        MPI_Bsend(x, 16, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Bsend(x, 16, MPI_INT, 1, 1, MPI_COMM_WORLD); /* FAULT */
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Buffer_detach(&p, &n);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < 2; i++)
            MPI_Recv(x, 16, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
