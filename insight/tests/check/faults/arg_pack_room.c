/* ranks: 1  fault: argument */
#include "program.h"

int main(void)
{
    char packed[8];
    int values[4] = {1, 2, 3, 4}, position = 0;

    begin();
    MPI_Pack(values, 4, MPI_INT, packed, 8, &position, MPI_COMM_WORLD); /* FAULT */
    MPI_Finalize();
    return 0;
}
