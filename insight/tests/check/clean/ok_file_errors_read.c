/* ranks: 1 */
#include "program.h"

/* A program that asks for the class of what a call returns has made its errors on purpose. */
int main(void)
{
    int value = 0, class = MPI_SUCCESS;
    MPI_File file;

    begin();
    MPI_File_open(MPI_COMM_WORLD, "missing.in", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_open(MPI_COMM_WORLD, "wronly.out", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_Error_class(MPI_File_read(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE), &class);
    MPI_File_close(&file);
    MPI_Finalize();
    return class != MPI_ERR_ACCESS;
}
