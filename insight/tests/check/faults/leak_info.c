/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Info x;

    begin();
    MPI_Info_create(&x); /* FAULT */
    (void)x;
    MPI_Finalize();
    return 0;
}
