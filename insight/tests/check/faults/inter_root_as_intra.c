/* ranks: 4  fault: root-mismatch  says: of the remote group */
#include "program.h"

int main(void)
{
    MPI_Comm inter;
    int x = 0;

    begin();
    inter = between(2);
    MPI_Bcast(&x, 1, MPI_INT, 0, inter); /* FAULT */
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
