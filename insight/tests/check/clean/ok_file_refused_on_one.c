/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_File file;
    int error;

    begin();
    MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    error = MPI_File_seek_shared(file, -8, MPI_SEEK_SET); /* refused */
    if (error == MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_File_sync(file);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
