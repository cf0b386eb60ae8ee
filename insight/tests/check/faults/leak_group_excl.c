/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Group world, others;
    int zero = 0;

    begin();
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, &zero, &others); /* FAULT */
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
