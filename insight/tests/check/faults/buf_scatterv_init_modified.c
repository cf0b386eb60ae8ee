/* ranks: 3  fault: buffer  needs: watchpoints */
#include "program.h"

int main(void)
{
    MPI_Request request;
    int x[6] = {1, 2, 3, 4, 5, 6}, y[3], counts[3] = {1, 0, 3}, displs[3] = {5, 0, 0};

    begin();
    MPI_Scatterv_init(x, counts, displs, MPI_INT, y,
                      rank == 0   ? 1
                      : rank == 1 ? 0
                                  : 3,
                      MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request);
        x[5] += i; /* FAULT */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
