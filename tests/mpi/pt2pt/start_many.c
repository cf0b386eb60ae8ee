/* ranks: 128 timeout: 20 */
/* As many processes on one host as a large node has cores start, meet in a barrier, know each other and end.
 */
#include "check.h"

int main(int argc, char **argv)
{
    int rank, size, sum, shared;
    MPI_Comm host;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(sum, size * (size - 1) / 2);
    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(host, &shared), MPI_SUCCESS);
    CHECK_EQ(shared, size);
    CHECK_EQ(MPI_Comm_free(&host), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
