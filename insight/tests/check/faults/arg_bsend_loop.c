/* ranks: 2  fault: argument */
#include "program.h"

#define MESSAGES 5
int main(void)
{
    double x[10] = {0};
    int one, n;
    char *room;
    begin();
    MPI_Pack_size(10, MPI_DOUBLE, MPI_COMM_WORLD, &one);
    n = (MESSAGES - 1) * (one + MPI_BSEND_OVERHEAD);
    room = malloc(n);
    MPI_Buffer_attach(room, n);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Bsend(x, 10, MPI_DOUBLE, 1 - rank, i, MPI_COMM_WORLD); /* FAULT */
    for (int i = 0; i < MESSAGES; i++)
        MPI_Recv(x, 10, MPI_DOUBLE, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&room, &n);
    free(room);
    MPI_Finalize();
    return 0;
}
