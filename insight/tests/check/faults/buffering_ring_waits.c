/* ranks: 3  fault: buffering */
#include "program.h"

int main(void)
{
    MPI_Request request;
    MPI_Comm comm;
    int mine = 1, theirs = 0;

    begin();
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    for (int i = 0; i < 3; i++) {
        MPI_Isend(&mine, 1, MPI_INT, (2 - rank + 1) % 3, i, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* FAULT */
        MPI_Recv(&theirs, 1, MPI_INT, (2 - rank + 2) % 3, i, comm, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
