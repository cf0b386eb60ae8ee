/* ranks: 1 2 3 4  timeout: 60 */
/* Ranks write and read each its part of a file through views with gaps, by explicit offsets and both pointers. The
 * file's bytes are what the standard says; pointers stand behind what was accessed, and at the end of the file a
 * read says how much there was. */
#include "files.h"

enum {
    BLOCK = 3,
    BLOCKS = 50
};

/* Every rank sees BLOCK ints of each size * BLOCK. */
static MPI_Datatype interleaved(void)
{
    int sizes = size * BLOCK, subsizes = BLOCK, starts = rank * BLOCK;
    MPI_Datatype type;

    CHECK_EQ(MPI_Type_create_subarray(1, &sizes, &subsizes, &starts, MPI_ORDER_C, MPI_INT, &type),
             MPI_SUCCESS);
    return committed(type);
}

/* The int at this place of the file. */
static int value_at(int place)
{
    return place * 7 + 1;
}

static int place_of(int mine)
{
    return mine / BLOCK * BLOCK * size + rank * BLOCK + mine % BLOCK;
}

static void fill(int *values)
{
    for (int i = 0; i < BLOCK * BLOCKS; i++)
        values[i] = value_at(place_of(i));
}

static void check_bytes(void)
{
    int fd = open(path, O_RDONLY), value;

    CHECK(fd >= 0);
    CHECK_EQ(bytes_on_disk(), (long long)sizeof(int) * size * BLOCK * BLOCKS);
    for (int place = 0; place < size * BLOCK * BLOCKS; place++) {
        CHECK_EQ(read(fd, &value, sizeof value), (ssize_t)sizeof value);
        CHECK_EQ(value, value_at(place));
    }
    close(fd);
}

static void expect_position(MPI_File file, long long expected)
{
    MPI_Offset position;

    CHECK_EQ(MPI_File_get_position(file, &position), MPI_SUCCESS);
    CHECK_EQ(position, expected);
}

static void write_parts(MPI_File file)
{
    int values[BLOCK * BLOCKS];
    MPI_Status status;

    fill(values);
    CHECK_EQ(MPI_File_write(file, values, 10, MPI_INT, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_INT), 10);
    expect_position(file, 10);
    CHECK_EQ(MPI_File_write_at(file, 15, values + 15, BLOCK * BLOCKS - 15, MPI_INT, &status), MPI_SUCCESS);
    expect_position(file, 10);
    CHECK_EQ(MPI_File_write_all(file, values + 10, 5, MPI_INT, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_INT), 5);
    expect_position(file, 15);
}

static void read_parts(MPI_File file)
{
    int values[BLOCK * BLOCKS], got[BLOCK * BLOCKS + 8];
    MPI_Offset at;
    MPI_Status status;

    fill(values);
    memset(got, 0, sizeof got);
    CHECK_EQ(MPI_File_read_at_all(file, 0, got, BLOCK * BLOCKS + 8, MPI_INT, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_INT), BLOCK * BLOCKS);
    CHECK(memcmp(got, values, sizeof values) == 0);
    CHECK_EQ(got[BLOCK * BLOCKS], 0);
    CHECK_EQ(MPI_File_seek(file, -4, MPI_SEEK_END), MPI_SUCCESS);
    expect_position(file, BLOCK * BLOCKS - 4);
    CHECK_EQ(MPI_File_read(file, got, 8, MPI_INT, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_INT), 4);
    CHECK(memcmp(got, values + BLOCK * BLOCKS - 4, 4 * sizeof *got) == 0);
    expect_position(file, BLOCK * BLOCKS);
    CHECK_EQ(MPI_File_seek(file, 5, MPI_SEEK_SET), MPI_SUCCESS);
    CHECK_EQ(MPI_File_seek(file, 2, MPI_SEEK_CUR), MPI_SUCCESS);
    expect_position(file, 7);
    CHECK_EQ(MPI_File_get_byte_offset(file, 7, &at), MPI_SUCCESS);
    CHECK_EQ(at, (long long)sizeof(int) * place_of(7));
    CHECK_EQ(class_of(MPI_File_seek(file, -8, MPI_SEEK_CUR)), MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_File_seek(file, 0, 77)), MPI_ERR_ARG);
    expect_position(file, 7);
}

/* Every rank reads with gaps in memory and in the file. */
static void read_into_gaps(MPI_File file)
{
    MPI_Datatype pairs;
    int values[BLOCK * BLOCKS], got[40];

    fill(values);
    memset(got, 0x55, sizeof got);
    CHECK_EQ(MPI_Type_vector(10, 2, 4, MPI_INT, &pairs), MPI_SUCCESS);
    pairs = committed(pairs);
    CHECK_EQ(MPI_File_read_at(file, 1, got, 1, pairs, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < 20; i++)
        CHECK_EQ(got[i / 2 * 4 + i % 2], values[1 + i]);
    for (int i = 0; i < 18; i++)
        CHECK_EQ(got[i / 2 * 4 + 2 + i % 2], 0x55555555);
    CHECK_EQ(MPI_Type_free(&pairs), MPI_SUCCESS);
}

/* All ranks take turns at the shared pointer. Each int is read by one rank. */
static void share(MPI_File file)
{
    int all = size * BLOCK * BLOCKS, value, sum = 0, expected = 0, count;
    MPI_Offset position;
    MPI_Status status;

    CHECK_EQ(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_SUCCESS);
    do {
        CHECK_EQ(MPI_File_read_shared(file, &value, 1, MPI_INT, &status), MPI_SUCCESS);
        count = count_of(&status, MPI_INT);
        sum += count ? value : 0;
    } while (count);
    CHECK_EQ(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < all; i++)
        expected += value_at(i);
    CHECK_EQ(sum, expected);
    CHECK_EQ(MPI_File_get_position_shared(file, &position), MPI_SUCCESS);
    CHECK_EQ(position, all + size);
    CHECK_EQ(MPI_File_seek_shared(file, -2 * size, MPI_SEEK_END), MPI_SUCCESS);
    CHECK_EQ(MPI_File_read_ordered(file, &value, 1, MPI_INT, &status), MPI_SUCCESS);
    CHECK_EQ(value, value_at(all - 2 * size + rank));
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_position_shared(file, &position), MPI_SUCCESS);
    CHECK_EQ(position, all - size);
}

int main(int argc, char **argv)
{
    MPI_Datatype mine;
    MPI_File file;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("views");
    file = open_new(0);
    mine = interleaved();
    CHECK_EQ(MPI_File_set_view(file, 0, MPI_INT, mine, "native", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&mine), MPI_SUCCESS);
    write_parts(file);
    CHECK_EQ(MPI_File_sync(file), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    check_bytes();
    read_parts(file);
    read_into_gaps(file);
    share(file);
    close_file(&file);
    remove_file();
    MPI_Finalize();
    return 0;
}
