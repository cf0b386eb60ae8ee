/* ranks: 2  fault: buffer  says: MPI_Pack writes memory that MPI_Isend */
#include "program.h"

int main(void)
{
    char packed[64] = "";
    int value = 3, position = 8;
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Isend(packed, 64, MPI_PACKED, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Pack(&value, 1, MPI_INT, packed, 64, &position, MPI_COMM_WORLD); /* FAULT */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(packed, 64, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
