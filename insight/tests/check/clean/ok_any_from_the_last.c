/* ranks: 3 */
#include "program.h"

/* All wait, in the end, for one rank that computes: the first, one between, and the last. */
int main(void)
{
    int x = 0;

    begin();
    for (int server = 0; server < 3; server++) {
        int waits = (server + 1) % 3, third = (server + 2) % 3;

        if (rank == server) {
            sleep(3);
            MPI_Send(&x, 1, MPI_INT, waits, 1, MPI_COMM_WORLD);
        }
        if (rank == waits) {
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&x, 1, MPI_INT, third, 2, MPI_COMM_WORLD);
        }
        if (rank == third)
            MPI_Recv(&x, 1, MPI_INT, waits, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
