/* ranks: 3  fault: buffer  says: which is not complete */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x = 0, all[3] = {0};

    begin();
    if (rank == 0) {
        MPI_Igather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(all + 2, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* FAULT */
    } else {
        MPI_Igather(&x, 1, MPI_INT, NULL, 0, MPI_INT, 0, MPI_COMM_WORLD, &request);
    }
    if (rank == 1)
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
