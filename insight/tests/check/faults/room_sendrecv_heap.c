/* ranks: 2  fault: buffer  says: is 40 bytes long */
#include "program.h"

int main(void)
{
    int given[4] = {0}, *got = malloc(16);

    begin();
    MPI_Sendrecv(given, 4, MPI_INT, 1 - rank, 0, got, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* FAULT */
    free(got);
    MPI_Finalize();
    return 0;
}
