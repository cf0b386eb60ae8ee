/* ranks: 2  timeout: 60 */
/* Where the file system says what it moves best, windows of collective buffering that cb_buffer_size limits are whole
 * numbers of that; cb_block_size is obeyed. All ranks go by the largest, whatever each is told. */
#include "calls.h"
#include "files.h"

enum {
    BYTES = 1 << 20 /* of each rank */
};

static int block; /* what this rank is told; 0: the truth */

/* Before the system's, for the library too. */
#pragma GCC visibility push(default)

int fstat(int fd, struct stat *status)
{
    int code = (int)syscall(SYS_fstat, fd, status);

    if (block)
        status->st_blksize = block;
    return code;
}

#pragma GCC visibility pop

/* The largest call of any rank when all write and read through buffers. */
static int largest_with(const char *buffer_size, const char *block_size)
{
    static char data[BYTES], got[BYTES];
    MPI_Datatype type;
    MPI_File file;
    MPI_Info info;
    int most;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "romio_cb_write", "enable"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "romio_cb_read", "enable"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "cb_buffer_size", buffer_size), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "cb_block_size", block_size), MPI_SUCCESS);
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           info, &file),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_vector(BYTES / 128, 128, 128 * size, MPI_CHAR, &type), MPI_SUCCESS);
    type = committed(type);
    CHECK_EQ(MPI_File_set_view(file, rank * 128, MPI_CHAR, type, "native", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    for (int i = 0; i < BYTES; i++)
        data[i] = (char)(i / 128 + 31 * rank);
    largest = 0;
    CHECK_EQ(MPI_File_write_at_all(file, 0, data, BYTES, MPI_CHAR, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_read_at_all(file, 0, got, BYTES, MPI_CHAR, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(memcmp(got, data, BYTES) == 0);
    CHECK_EQ(MPI_Allreduce(&largest, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
    close_file(&file);
    return most;
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("blocks");
    block = 65536;
    CHECK_EQ(largest_with("400000", "1048576"), 2 * 65536);
    block = 10000;
    CHECK_EQ(largest_with("400000", "1048576"), 160000);
    block = rank ? 40960 : 4096;
    CHECK_EQ(largest_with("400000", "1048576"), 4 * 40960);
    CHECK_EQ(largest_with("400000", "12345"), 12345);
    block = 1 << 20; /* not even one fits */
    CHECK(largest_with("400000", "1048576") > 150000);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
