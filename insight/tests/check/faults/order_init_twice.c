/* ranks: 1  fault: call-order */
#include "program.h"

int main(void)
{
    begin();
    MPI_Init(NULL, NULL); /* FAULT */
    MPI_Finalize();
    return 0;
}
