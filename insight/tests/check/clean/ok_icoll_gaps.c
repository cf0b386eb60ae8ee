/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_Request request[3];
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    int x[4] = {1, 2, 3, 4}, y[4], z[4], counts[2] = {1, 1}, displs[2] = {0, 2}, at[2] = {0, 8};

    begin();
    for (int i = 0; i < 2; i++) {
        MPI_Ialltoallv(x, counts, displs, MPI_INT, y, counts, displs, MPI_INT, MPI_COMM_WORLD, &request[0]);
        MPI_Ialltoallw(x, counts, at, types, z, counts, at, types, MPI_COMM_WORLD, &request[1]);
        MPI_Iscatterv(rank ? NULL : x, counts, displs, MPI_INT, rank ? &x[3] : MPI_IN_PLACE, 1, MPI_INT, 0,
                      MPI_COMM_WORLD, &request[2]);
        x[1] += 5; /* in a gap */
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
        x[0] = x[2] = 7;
    }
    MPI_Ireduce_scatter(x, y, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[0]);
    x[2] = 3; /* behind what is sent */
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
