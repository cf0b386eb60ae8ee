/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[8] = {0};
    MPI_Info info;
    MPI_File file;

    begin();
    info = info_with("access_style", "write_once,sequential");
    MPI_File_open(MPI_COMM_WORLD, "styled", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info,
                  &file);
    MPI_Info_free(&info);
    MPI_File_set_view(file, 400 * rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    for (int i = 0; i < 4; i++)
        MPI_File_write(file, x, 8, MPI_INT, MPI_STATUS_IGNORE);
    for (int pass = 0; pass < 2; pass++) {
        MPI_File_seek(file, 0, MPI_SEEK_SET);
        for (int i = 0; i < 4; i++)
            MPI_File_read(file, x, 8, MPI_INT, MPI_STATUS_IGNORE);
    }
    info = info_with("access_style", "reverse_sequential");
    MPI_File_set_info(file, info);
    MPI_Info_free(&info);
    for (int i = 7; i >= 0; i--)
        MPI_File_write_at(file, 8 * (i % 4), x, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
