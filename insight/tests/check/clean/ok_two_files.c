/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_File file[2];
    MPI_Comm comm;

    begin();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_File_open(comm, "one", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file[0]);
    MPI_File_open(comm, "two", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file[1]);
    MPI_Comm_free(&comm);
    MPI_File_set_size(file[0], 16);
    MPI_File_set_size(file[1], 32);
    MPI_File_close(&file[1]);
    MPI_File_close(&file[0]);
    MPI_Finalize();
    return 0;
}
