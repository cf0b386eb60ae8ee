/* ranks: 2 */
#include "program.h"

/* Two ranks of one world meet at a port, twice: each knows the new communicator by its own MPI_COMM_SELF alone. */
int main(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm comm[2];
    int mine, got;

    begin();
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
        if (rank == 0)
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm[i]);
        else
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm[i]);
    }
    for (int i = 1; i >= 0; i--) {
        mine = 10 * rank + i;
        MPI_Sendrecv(&mine, 1, MPI_INT, 0, i, &got, 1, MPI_INT, 0, i, comm[i], MPI_STATUS_IGNORE);
        MPI_Barrier(comm[i]);
        MPI_Comm_disconnect(&comm[i]);
    }
    if (rank == 0)
        MPI_Close_port(port);
    MPI_Finalize();
    return 0;
}
