/* ranks: 2 */
#include "program.h"

/* Send buffers are read while they are sent, and all is used again once it is complete, as each way of asking tells. */
int main(void)
{
    MPI_Request request[2];
    int mine[4] = {0}, theirs[4] = {0}, sum = 0, done;

    begin();
    for (int i = 0; i < 4; i++) {
        mine[0] = i;
        MPI_Irecv(theirs, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(mine, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
        sum += mine[0];
        for (done = 0; !done && i == 1;)
            MPI_Testall(2, request, &done, MPI_STATUSES_IGNORE);
        for (done = 0; !done && i == 2;)
            MPI_Request_get_status(request[0], &done, MPI_STATUS_IGNORE);
        if (i == 2)
            sum += theirs[0];
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        memset(theirs, i, sizeof theirs);
    }
    MPI_Finalize();
    return sum != 8;
}
