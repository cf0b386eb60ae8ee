/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Group x;

    begin();
    MPI_Comm_group(MPI_COMM_WORLD, &x); /* FAULT */
    (void)x;
    MPI_Finalize();
    return 0;
}
