/* ranks: 3 */
#include "program.h"

int main(void)
{
    MPI_Request request[4];
    int x = 1, sums[4] = {0};

    begin();
    for (int i = 0; i < 3; i++) /* each has one item, beside the next one's */
        MPI_Iallreduce(&x, &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]);
    MPI_Ireduce(&x, &sums[3], 1, MPI_INT, MPI_MAX, 1, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
