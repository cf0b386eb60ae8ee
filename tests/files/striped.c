/* striped FILE FACTOR UNIT: a new file with these striping hints ("-": without), which the ranks write together, interleaved. */
#include "check.h"

enum {
    BLOCK = 1 << 14,
    BLOCKS = 512 /* of all ranks together: 8 MiB */
};

int main(int argc, char **argv)
{
    static char data[BLOCK * BLOCKS];
    MPI_Datatype slices;
    MPI_Info info;
    MPI_File file;
    int rank, size;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "romio_cb_write", "enable"), MPI_SUCCESS);
    if (strcmp(argv[2], "-") != 0)
        CHECK_EQ(MPI_Info_set(info, "striping_factor", argv[2]), MPI_SUCCESS);
    if (strcmp(argv[3], "-") != 0)
        CHECK_EQ(MPI_Info_set(info, "striping_unit", argv[3]), MPI_SUCCESS);
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_vector(BLOCKS / size, BLOCK, BLOCK * size, MPI_BYTE, &slices), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&slices), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_view(file, rank * BLOCK, MPI_BYTE, slices, "native", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_File_write_all(file, data, BLOCK * (BLOCKS / size), MPI_BYTE, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&slices), MPI_SUCCESS);
    CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
