/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 0, flag = 0;
    MPI_Request request;

    begin();
    if (rank == 0) {
        MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        for (flag = 0; !flag;)
            MPI_Iprobe(1, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        usleep(20000);
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        usleep(20000);
        MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
