/* ranks: 2  fault: buffer  says: MPI_Unpack reads memory that MPI_Irecv */
#include "program.h"

int main(void)
{
    char packed[64] = "";
    int value = 3, position = 0;
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Irecv(packed, 64, MPI_PACKED, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Unpack(packed, 64, &position, &value, 1, MPI_INT, MPI_COMM_WORLD); /* FAULT */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(packed, 64, MPI_PACKED, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
