/* ranks: 3  options: --survive  fault: request */
#include "survived.h"

int main(void)
{
    static int value;
    MPI_Comm living;
    MPI_Request request;

    begin_returning();
    last_dies();
    living = shrink();
    MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 1, living, &request); /* FAULT */
    MPI_Comm_free(&living);
    MPI_Finalize();
    return 0;
}
