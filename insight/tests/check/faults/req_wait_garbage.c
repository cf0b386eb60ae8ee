/* ranks: 1  fault: request */
#include "program.h"

int main(void)
{
    MPI_Request request = (MPI_Request)(intptr_t)0x1234567890;

    begin();
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* FAULT */
    MPI_Finalize();
    return 0;
}
