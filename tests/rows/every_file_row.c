/* every_file_row: walks the rows of files (walk.h). */
#include "walk.h"

#include "mpi/files/files.h"

#include <string.h>

static MPI_File file;

static void make(MPI_Info info)
{
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           info, &file),
             MPI_SUCCESS);
}

static int set_info(MPI_Info info)
{
    return MPI_File_set_info(file, info);
}

static int get_info(MPI_Info *info)
{
    return MPI_File_get_info(file, info);
}

static void file_free(void)
{
    CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
}

static const char *told(const struct hint_row *row)
{
    return row == &hint_table[HINT_FILENAME] ? path : row->def;
}

int main(int argc, char **argv)
{
    static const char *const numbers[VALUES] = {"8192", "4096", "65536"};
    static const char *const ways[VALUES] = {"enable", "disable", "automatic"};
    static const char *const styles[VALUES] = {"read_once,sequential", "random", "none"};
    static const char *const permissions[VALUES] = {"600", "0644", "666"};
    static const struct walk_class files = {ON_FILE, make, set_info, get_info,    file_free,
                                            numbers, ways, styles,   permissions, told};

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("rows");
    walk_rows(&files);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
