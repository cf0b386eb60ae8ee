/* ranks: 2  fault: leak */
#include "session.h"

int main(void)
{
    MPI_Datatype type;

    begin_session();
    if (rank == 1)
        MPI_Type_contiguous(2, MPI_INT, &type); /* FAULT */
    MPI_Barrier(comm);
    end_session();
    return 0;
}
