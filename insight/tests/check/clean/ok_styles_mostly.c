/* ranks: 2 */
#include "program.h"

int main(void)
{
    int x[8] = {0};
    MPI_Info info;
    MPI_File file;
    MPI_Datatype every_second;

    begin();
    info = info_with("access_style", "read_mostly,random,write_once");
    MPI_File_open(MPI_COMM_WORLD, "styled", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info,
                  &file);
    MPI_Info_free(&info);
    MPI_Type_vector(4, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    MPI_File_set_view(file, 1024 * rank, MPI_INT, every_second, "native", MPI_INFO_NULL);
    for (int i = 3; i >= 0; i--)
        MPI_File_write_at_all(file, 8 * i, x, 8, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < 20; i++)
        MPI_File_read_at(file, i * 7 % 30, x, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Type_free(&every_second);
    MPI_Finalize();
    return 0;
}
