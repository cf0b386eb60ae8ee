/* ranks: 3 */
#include "program.h"

int main(void)
{
    int x = 1, y = 0, z = 0;
    MPI_Request request[2];

    begin();
    MPI_Allreduce_init(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
    MPI_Bcast_init(&z, 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
    for (int i = 0; i < 5; i++) {
        MPI_Start(&request[(i + rank) % 2]);
        MPI_Start(&request[(i + rank + 1) % 2]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Finalize();
    return 0;
}
