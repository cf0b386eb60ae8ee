/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_File file;
    int x[2] = {1, 2};
    MPI_Request request;
    char name[64] = "check_ok_files";

    begin();
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(file, rank * 2, x, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, rank * 2, x, 2, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
