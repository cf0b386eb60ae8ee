/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[16] = {0}, bytes, n;
    void *p, *room;
    begin();
    MPI_Pack_size(16, MPI_INT, MPI_COMM_WORLD, &bytes);
    room = malloc((size_t)(2 * (bytes + MPI_BSEND_OVERHEAD)));
    if (rank == 0) {
        MPI_Buffer_attach(room, 2 * (bytes + MPI_BSEND_OVERHEAD));
        for (int k = 0; k < 3; k++) {
            MPI_Bsend(x, 16, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Bsend(x, 16, MPI_INT, 1, 1, MPI_COMM_WORLD);
            MPI_Buffer_flush();
        }
        MPI_Buffer_detach(&p, &n);
    } else
        for (int i = 0; i < 6; i++)
            MPI_Recv(x, 16, MPI_INT, 0, i % 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(room);
    MPI_Finalize();
    return 0;
}
