/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_Comm comm;

    begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_disconnect(&comm);
    MPI_Finalize();
    return 0;
}
