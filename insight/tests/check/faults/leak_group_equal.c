/* ranks: 1  fault: leak */
#include "program.h"

/* Equal groups may have one handle. */
int main(void)
{
    MPI_Group world, both;

    begin();
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_union(world, world, &both); /* FAULT */
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
