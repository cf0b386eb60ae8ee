/* ranks: 2  fault: leak  says: a communicator of MPI_Comm_dup was never freed */
#include "program.h"

int main(void)
{
    MPI_Comm x;

    begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &x); /* FAULT */
    (void)x;
    MPI_Finalize();
    return 0;
}
