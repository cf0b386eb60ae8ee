/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{

    begin();
    MPI_Info_set(MPI_INFO_NULL, "a", "b"); /* FAULT */
    MPI_Finalize();
    return 0;
}
