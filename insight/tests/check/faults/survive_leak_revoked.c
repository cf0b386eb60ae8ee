/* ranks: 3  options: --survive  fault: leak */
#include "survived.h"

int main(void)
{
    MPI_Comm copy;

    begin_returning();
    MPI_Comm_dup(MPI_COMM_WORLD, &copy); /* FAULT */
    last_dies();
    MPIX_Comm_revoke(copy);
    MPI_Finalize();
    return 0;
}
