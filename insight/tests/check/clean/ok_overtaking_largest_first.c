/* ranks: 2 */
#include "program.h"

int main(void)
{
    int data[300] = {0};
    MPI_Request request[3];
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_allow_overtaking", "true");
    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Send(data, 10 + i, MPI_INT, 1, 0, comm);
    } else {
        for (int i = 0; i < 3; i++)
            MPI_Irecv(data + 100 * i, 100, MPI_INT, 0, 0, comm, &request[i]);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
