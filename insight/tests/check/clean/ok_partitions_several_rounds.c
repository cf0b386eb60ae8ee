/* ranks: 2 */
#include "program.h"

int main(void)
{
    double x[8] = {0};
    int flag = 0, parts[4] = {3, 1, 0, 2};
    MPI_Request request;

    begin();
    if (rank == 0)
        MPI_Psend_init(x, 4, 2, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(x, 2, 4, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < 4; round++) {
        MPI_Start(&request);
        if (rank == 0) {
            for (int i = 0; i < 8; i++)
                x[i] = round * 8 + i; /* all before the first is ready */
            if (round % 2)
                MPI_Pready_list(4, parts, request);
            else
                MPI_Pready_range(0, 3, request);
        } else {
            while (!flag)
                MPI_Parrived(request, 1, &flag);
            flag = 0;
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        x[0] = -1; /* it is the program's again */
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
