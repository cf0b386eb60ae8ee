/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Session a;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &a); /* FAULT */
    begin();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
