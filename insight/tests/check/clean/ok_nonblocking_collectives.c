/* ranks: 3 */
#include "program.h"

int main(void)
{
    int x = 1, y, z = 2;
    MPI_Request request[3];

    begin();
    MPI_Ibarrier(MPI_COMM_WORLD, &request[0]);
    MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[1]);
    MPI_Ibcast(&z, 1, MPI_INT, 2, MPI_COMM_WORLD, &request[2]);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
