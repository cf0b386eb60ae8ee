/* ranks: 2 */
#include "program.h"

int main(void)
{
    char buffer[64];
    int position = 0, i = 1;
    double d = 2;

    begin();
    if (rank == 0) {
        MPI_Pack(&i, 1, MPI_INT, buffer, 64, &position, MPI_COMM_WORLD);
        MPI_Pack(&d, 1, MPI_DOUBLE, buffer, 64, &position, MPI_COMM_WORLD);
        MPI_Send(buffer, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(buffer, 64, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Unpack(buffer, 64, &position, &i, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Unpack(buffer, 64, &position, &d, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
