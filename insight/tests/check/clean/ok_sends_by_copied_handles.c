/* ranks: 2 */
/* A binding keeps copies of handles: two sends of one variable, of which the first is complete and its buffer used again. */
#include "program.h"

int main(void)
{
    int data[2] = {1, 2}, got[2];
    MPI_Request made, kept[2];

    begin();
    if (rank == 0) {
        for (int i = 0; i < 2; i++) {
            MPI_Isend(&data[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &made);
            kept[i] = made;
        }
        MPI_Wait(&kept[0], MPI_STATUS_IGNORE);
        data[0] = 3;
        MPI_Wait(&kept[1], MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < 2; i++)
            MPI_Recv(&got[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
