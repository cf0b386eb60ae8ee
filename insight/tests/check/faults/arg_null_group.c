/* ranks: 2  fault: argument */
#include "program.h"

int main(void)
{
    MPI_Group group;

    begin();
    MPI_Group_incl(MPI_GROUP_NULL, 0, NULL, &group); /* FAULT */
    MPI_Finalize();
    return 0;
}
