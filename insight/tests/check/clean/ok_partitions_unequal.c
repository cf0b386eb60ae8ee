/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[8] = {0}, flag = 0;
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Psend_init(x, 8, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        for (int turn = 0; turn < 3; turn++) {
            MPI_Start(&request);
            for (int i = 7; i >= 0; i--) {
                x[i] = turn; /* not ready yet */
                MPI_Pready(i, request);
            }
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Precv_init(x, 2, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        for (int turn = 0; turn < 3; turn++) {
            MPI_Start(&request);
            for (flag = 0; !flag;)
                MPI_Parrived(request, 1, &flag);
            x[7]++;
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
