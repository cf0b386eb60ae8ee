/* ranks: 2  fault: count-mismatch */
#include "session.h"

int main(void)
{
    int x[4] = {0};

    begin_session();
    end_session();
    begin_session();
    MPI_Bcast(x, rank == 0 ? 2 : 4, MPI_INT, 0, comm); /* FAULT */
    end_session();
    return 0;
}
