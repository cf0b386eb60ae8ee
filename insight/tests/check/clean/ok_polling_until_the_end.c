/* ranks: 2 */
#include "program.h"

/* One computes, the other polls, and the job ends as soon as it may. */
int main(void)
{
    int flag = 0;
    MPI_Request request;

    begin();
    if (rank == 1)
        sleep(7);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
