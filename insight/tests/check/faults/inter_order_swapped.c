/* ranks: 3  fault: collective-mismatch  says: of the remote group */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x = 0, all[4] = {0};

    begin();
    inter = between(1);
    if (rank < 1) {
        MPI_Allgather(&x, 1, MPI_INT, all, 1, MPI_INT, inter);
        MPI_Alltoall(all, 1, MPI_INT, all + 2, 1, MPI_INT, inter);
    } else {
        MPI_Alltoall(all, 1, MPI_INT, all + 2, 1, MPI_INT, inter); /* FAULT */
        MPI_Allgather(&x, 1, MPI_INT, all, 1, MPI_INT, inter);
    }
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
