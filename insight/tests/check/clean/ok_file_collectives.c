/* ranks: 3 */
#include "program.h"

int main(void)
{
    MPI_File file;
    MPI_Request request;
    int x = 0;

    begin();
    MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 64);
    MPI_File_set_view(file, 4 * rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, &x, rank > 0, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at_all(file, 4, &x, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) /* independent */
        MPI_File_write_at(file, 9, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_read_at_all_begin(file, 0, &x, 1, MPI_INT);
    MPI_File_read_at_all_end(file, &x, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
