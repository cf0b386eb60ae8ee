/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    int x = 1;

    begin();
    MPI_Group_incl(MPI_GROUP_NULL, 0, NULL, NULL); /* FAULT */
    (void)x;
    MPI_Finalize();
    return 0;
}
