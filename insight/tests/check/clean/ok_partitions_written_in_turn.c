/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[4] = {0};
    MPI_Request request;

    begin();
    if (rank == 0)
        MPI_Psend_init(x, 4, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(x, 4, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < 3; round++) {
        MPI_Start(&request);
        for (int i = 3; i >= 0 && rank == 0; i--) {
            x[i] = round + i;
            MPI_Pready(i, request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
