/* ranks: 2 */
#include "program.h"

int main(void)
{
    int data[100] = {0};
    MPI_Comm comm;

    begin();
    comm = hinted("mpi_assert_allow_overtaking", "true");
    for (int i = 1; i <= 10; i++) {
        int count;
        MPI_Message message;
        MPI_Status status;

        if (rank == 0) {
            MPI_Send(data, i * 10, MPI_INT, 1, i % 2, comm);
        } else if (i % 3) {
            MPI_Mprobe(0, MPI_ANY_TAG, comm, &message, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            MPI_Mrecv(data, count, MPI_INT, &message, MPI_STATUS_IGNORE);
        } else {
            MPI_Probe(0, MPI_ANY_TAG, comm, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            MPI_Recv(data, count, MPI_INT, 0, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
        }
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
