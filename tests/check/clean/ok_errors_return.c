/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x = 1, error, class;

    begin();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    error = MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    MPI_Error_class(error, &class);
    if (class != MPI_ERR_RANK)
        return 1;
    MPI_Finalize();
    return 0;
}
