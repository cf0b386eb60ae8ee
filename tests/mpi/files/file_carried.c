/* ranks: 1 3 4  timeout: 60 */
/* Collective writes of a few bytes through buffers, beside those of more: every byte arrives, the bytes between stay, neighbours
 * make one call of pwrite, and an error of the rank that writes is an error of all. */
#include "calls.h"
#include "files.h"

#include <signal.h>
#include <sys/resource.h>

enum {
    ROOM = 4096,
    LIMIT = 1 << 16
};

static MPI_File file;
static unsigned char expected[ROOM];

static MPI_File open_buffered(void)
{
    MPI_File made;
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "romio_cb_write", "enable"), MPI_SUCCESS);
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &made), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return made;
}

static void check_all(void)
{
    unsigned char got[ROOM];

    CHECK_EQ(MPI_File_sync(file), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_File_read_at(file, 0, got, ROOM, MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(memcmp(got, expected, ROOM) == 0);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

/* Rank r writes bytes[r] bytes at at[r]. Returns how many calls all ranks made for it. */
static int write_parts(const int *at, const int *bytes)
{
    static unsigned char mark;
    unsigned char data[ROOM];
    int calls;
    MPI_Status status;

    mark++;
    for (int r = 0; r < size; r++)
        memset(expected + at[r], mark + r, (size_t)bytes[r]);
    memset(data, mark + rank, sizeof data);
    pwrites = 0;
    CHECK_EQ(MPI_File_write_at_all(file, at[rank], data, bytes[rank], MPI_BYTE, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_BYTE), bytes[rank]);
    CHECK_EQ(MPI_Allreduce(&pwrites, &calls, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    check_all();
    return calls;
}

/* As many bytes of each rank, one behind the other, in the order of the ranks or against it. */
static void write_neighbours(int each)
{
    int forth[4], back[4], bytes[4];

    for (int r = 0; r < size; r++) {
        forth[r] = 100 + r * each;
        back[r] = 100 + (size - 1 - r) * each;
        bytes[r] = each;
    }
    CHECK_EQ(write_parts(forth, bytes), each && size > 1 ? 1 : each > 0);
    CHECK_EQ(write_parts(back, bytes), each && size > 1 ? 1 : each > 0);
}

/* With gaps; with ranks that write nothing, few or many bytes. */
static void write_apart(void)
{
    static const int at[4] = {70, 10, 300, 200}, few[4] = {16, 1, 7, 15}, mixed[4] = {0, 17, 16, 100},
                     last[4] = {0, 0, 0, 3};

    write_parts(at, few);
    write_parts(at, mixed);
    write_parts(at, last);
}

/* Each rank's two ints lie apart: a run of 8 bytes and two of 4 in one call. */
static void write_through_views(void)
{
    int value[2] = {rank + 1, rank + 101};
    MPI_Datatype type;

    CHECK_EQ(MPI_Type_vector(2, 1, rank == 0 ? 1 : 2 * size, MPI_INT, &type), MPI_SUCCESS);
    type = committed(type);
    CHECK_EQ(MPI_File_set_view(file, 1000 + 8 * rank, MPI_INT, type, "native", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < 2; i++) {
            int of_rank = r + 1 + 100 * i;

            memcpy(expected + 1000 + 8 * r + i * (r == 0 ? 4 : 8 * size), &of_rank, sizeof of_rank);
        }
    CHECK_EQ(MPI_File_write_at_all(file, 0, value, 2, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), MPI_SUCCESS);
    check_all();
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes ? bytes : limit.rlim_max;
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void fail_together(void)
{
    char byte = 1;
    int class;

    limit_files(LIMIT);
    CHECK_EQ(MPI_Error_class(MPI_File_write_at_all(file, LIMIT + rank, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE),
                             &class),
             MPI_SUCCESS);
    CHECK_EQ(class, MPI_ERR_IO);
    limit_files(0);
    write_neighbours(5);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("carried");
    file = open_buffered();
    CHECK_EQ(MPI_File_set_size(file, ROOM), MPI_SUCCESS);
    for (int each = 0; each <= 20; each++)
        write_neighbours(each);
    write_apart();
    write_through_views();
    fail_together();
    close_file(&file);
    remove_file();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
