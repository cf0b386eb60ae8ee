/* ranks: 3 */
#include "program.h"

int main(void)
{
    int item[4] = {1}, sum = 0;
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_allow_overtaking", "true");
    if (rank == 0) {
        for (int i = 0; i < 40; i++) {
            MPI_Recv(item, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
            sum += item[0];
        }
    } else {
        for (int i = 0; i < 20; i++)
            MPI_Send(item, 1 + i % 4, MPI_INT, 0, i % 2, comm);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
