/* ranks: 2 */
#include "program.h"

#include <time.h>

/* Rank 0 gives up polling after a while; rank 1 waits for it. */
int main(void)
{
    int x = 0, y = 0, flag = 0;
    time_t end;
    MPI_Request request;

    begin();
    end = time(NULL) + 8;
    if (rank == 0) {
        MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        while (!flag && time(NULL) < end)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Send(&y, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
