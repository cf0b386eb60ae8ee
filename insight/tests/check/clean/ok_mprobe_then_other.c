/* ranks: 3 */
#include "program.h"

/* "the other one", from the status of the probe */
int main(void)
{
    int x[8] = {0}, n;
    MPI_Message m;
    MPI_Status st;
    begin();
    if (rank == 0) {
        MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &m, &st);
        MPI_Get_count(&st, MPI_INT, &n);
        MPI_Mrecv(x, n, MPI_INT, &m, MPI_STATUS_IGNORE);
        MPI_Recv(x, 8, MPI_INT, 3 - st.MPI_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else
        MPI_Send(x, rank * 3, MPI_INT, 0, 4, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
