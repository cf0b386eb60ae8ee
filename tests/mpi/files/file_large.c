/* ranks: 1 2 */
/* Beyond 4 GiB (the file is nearly all holes): offsets, displacements, positions, strides, sizes; and the last window
 * that a file can have. */
#include "file.h"

static const MPI_Offset far = ((MPI_Offset)5 << 30) + 12345;
static MPI_Status status;

static void far_offsets(MPI_File fh)
{
    long value = 1000 + rank, got = 0;
    MPI_Offset at;

    OK(MPI_File_write_at_all(fh, far + 8 * rank, &value, 1, MPI_LONG, &status));
    OK(MPI_File_sync(fh));
    barrier();
    OK(MPI_File_sync(fh));
    OK(MPI_File_get_size(fh, &at));
    CHECK_EQ(at, far + 8 * size);
    OK(MPI_File_read_at(fh, far + 8 * (size - 1), &got, 1, MPI_LONG, &status));
    CHECK_EQ(got, 1000 + size - 1);
    OK(MPI_File_seek(fh, far + 8 * rank, MPI_SEEK_SET));
    OK(MPI_File_read_all(fh, &got, 1, MPI_LONG, &status));
    CHECK_EQ(got, value);
    OK(MPI_File_get_position(fh, &at));
    CHECK_EQ(at, far + 8 * (rank + 1));
    OK(MPI_File_seek(fh, -8, MPI_SEEK_END));
    OK(MPI_File_get_position(fh, &at));
    CHECK_EQ(at, far + 8 * size - 8);
    OK(MPI_File_seek_shared(fh, far, MPI_SEEK_SET));
    OK(MPI_File_read_ordered(fh, &got, 1, MPI_LONG, &status));
    CHECK_EQ(got, value);
}

/* A filetype that reaches over gigabytes; collective buffering must not want them. */
static void far_strides(MPI_File fh)
{
    MPI_Datatype filetype;
    int values[4] = {rank, rank + 10, rank + 20, rank + 30}, got[4];
    MPI_Offset at;

    OK(MPI_Type_create_hvector(4, 1, (MPI_Aint)1 << 31, MPI_INT, &filetype));
    OK(MPI_Type_commit(&filetype));
    OK(MPI_File_set_view(fh, far + 4 * rank, MPI_INT, filetype, "native", MPI_INFO_NULL));
    OK(MPI_Type_free(&filetype));
    OK(MPI_File_write_all(fh, values, 4, MPI_INT, &status));
    CHECK_EQ(count_of(&status, MPI_INT), 4);
    memset(got, 0, sizeof got);
    OK(MPI_File_read_at_all(fh, 0, got, 4, MPI_INT, &status));
    CHECK_EQ(memcmp(values, got, sizeof got), 0);
    OK(MPI_File_read_at(fh, 2, got, 1, MPI_INT, &status));
    CHECK_EQ(got[0], rank + 20);
    OK(MPI_File_get_byte_offset(fh, 3, &at));
    CHECK_EQ(at, far + 4 * rank + ((MPI_Offset)3 << 31));
    OK(MPI_File_sync(fh));
    barrier();
    CHECK_EQ(byte_at(far + ((MPI_Offset)3 << 31) + 4 * rank), rank + 30);
    CHECK_EQ(byte_at(far + ((MPI_Offset)2 << 31) + 8 * size + 100), 0);
    OK(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
}

static void far_sizes(MPI_File fh)
{
    MPI_Offset at;

    OK(MPI_File_set_size(fh, (MPI_Offset)1 << 42));
    OK(MPI_File_get_size(fh, &at));
    CHECK_EQ(at, (MPI_Offset)1 << 42);
    CHECK_EQ(size_of_file(), 1LL << 42);
    OK(MPI_File_set_size(fh, 10));
    CHECK_EQ(size_of_file(), 10);
}

/* Through buffers, in the last window of the largest file. */
static void the_last_window(void)
{
    const MPI_Offset at = (MPI_Offset)INT64_MAX - 4096;
    int value = 0x01020304 * (rank + 1), got = 0;
    MPI_File fh;
    MPI_Info info;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "romio_cb_write", "enable"));
    OK(MPI_Info_set(info, "romio_cb_read", "enable"));
    OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &fh));
    OK(MPI_Info_free(&info));
    OK(MPI_File_write_at_all(fh, at + 4 * rank, &value, 1, MPI_INT, &status));
    CHECK_EQ(count_of(&status, MPI_INT), 1);
    barrier();
    for (int r = 0; r < size; r++)
        for (int i = 0; i < 4; i++)
            CHECK_EQ(byte_at(at + 4 * r + i), (4 - i) * (r + 1));
    OK(MPI_File_read_at_all(fh, at + 4 * rank, &got, 1, MPI_INT, &status));
    CHECK_EQ(count_of(&status, MPI_INT), 1);
    CHECK_EQ(got, value);
    /* up to the very last byte: the system may refuse it, but not forget it */
    if (MPI_File_write_at_all(fh, INT64_MAX - 4 * (size - rank), &value, 1, MPI_INT, &status) == MPI_SUCCESS)
        CHECK_EQ(byte_at(INT64_MAX - 4 * (size - rank)), 4 * (rank + 1));
    OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    MPI_File fh;

    set_up(&argc, &argv);
    fh = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    far_offsets(fh);
    far_strides(fh);
    far_sizes(fh);
    OK(MPI_File_close(&fh));
    the_last_window();
    tear_down();
    return 0;
}
