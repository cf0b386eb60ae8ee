/* ranks: 2  fault: root-mismatch */
#include "session.h"

int main(void)
{
    int x = 0;

    begin_session();
    MPI_Bcast(&x, 1, MPI_INT, rank, comm); /* FAULT */
    end_session();
    return 0;
}
