/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 1, s = 0, m = 0;
    MPI_Request request[2];
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_strict_persistent_collective_ordering", "true");
    MPI_Allreduce_init(&x, &s, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request[0]);
    MPI_Allreduce_init(&x, &m, 1, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, &request[1]);
    for (int i = 0; i < 4; i++) {
        MPI_Start(&request[i % 2]);
        MPI_Start(&request[1 - i % 2]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
