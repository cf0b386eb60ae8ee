/* ranks: 2  fault: operation-mismatch */
#include "session.h"

int main(void)
{
    int x = 1, y;

    begin();
    begin_session();
    MPI_Allreduce(&x, &y, 1, MPI_INT, rank ? MPI_SUM : MPI_MAX, comm); /* FAULT */
    end_session();
    MPI_Finalize();
    return 0;
}
