/* ranks: 2 4  timeout: 60 */
/* What the hints of collective buffering change: which ranks call the system, how often, and for how many bytes. */
#include "hints.h"
#include "mpi/files/calls.h"
#include "mpi/files/files.h"

enum {
    BLOCKS = 1024,
    BLOCK = 16 /* bytes; the ranks have one in turn */
};

/* Over all ranks: calls of the system, the ranks that made any, and the bytes of the largest. */
struct calls {
    int count, ranks, largest;
};

static struct calls sum_up(int count)
{
    struct calls c = {count, count > 0, largest};

    CHECK_EQ(MPI_Allreduce(MPI_IN_PLACE, &c, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(MPI_IN_PLACE, &c.largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
    return c;
}

static char data_at(int i)
{
    return (char)(i * 7 + rank * 31 + i / BLOCK);
}

static MPI_File file_in_turn(MPI_Info info)
{
    MPI_Datatype type;
    MPI_File file;

    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &file), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_vector(BLOCKS, BLOCK, BLOCK * size, MPI_CHAR, &type), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_view(file, rank * BLOCK, MPI_CHAR, type, "native", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    return file;
}

/* Writes blocks in turn, and reads them. */
static void access_in_turn(MPI_File file, struct calls *writes, struct calls *reads)
{
    static char data[BLOCKS * BLOCK];

    for (int i = 0; i < BLOCKS * BLOCK; i++)
        data[i] = data_at(i);
    pwrites = largest = 0;
    CHECK_EQ(MPI_File_write_at_all(file, 0, data, sizeof data, MPI_CHAR, MPI_STATUS_IGNORE), MPI_SUCCESS);
    *writes = sum_up(pwrites);
    memset(data, 0, sizeof data);
    preads = largest = 0;
    CHECK_EQ(MPI_File_read_at_all(file, 0, data, sizeof data, MPI_CHAR, MPI_STATUS_IGNORE), MPI_SUCCESS);
    *reads = sum_up(preads);
    for (int i = 0; i < BLOCKS * BLOCK; i++)
        CHECK_EQ(data[i], data_at(i));
}

static void with(const char *key, const char *value, const char *other, const char *its, struct calls *writes,
                 struct calls *reads)
{
    MPI_Info info = info_with(key, value);
    MPI_File file;

    CHECK_EQ(MPI_Info_set(info, "romio_ds_write", "disable"), MPI_SUCCESS); /* each block is a call then */
    if (other)
        CHECK_EQ(MPI_Info_set(info, other, its), MPI_SUCCESS);
    file = file_in_turn(info);
    access_in_turn(file, writes, reads);
    close_file(&file);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* One call of each aggregator, or of each rank for each of its blocks. */
static void buffers_are_used_or_not(void)
{
    int windows = (BLOCKS * BLOCK * size + (1 << 20) - 1) >> 20;
    struct calls writes, reads;

    with("collective_buffering", "true", NULL, NULL, &writes, &reads);
    CHECK_EQ(writes.count, windows);
    with("collective_buffering", "false", NULL, NULL, &writes, &reads);
    CHECK_EQ(writes.count, BLOCKS * size);
    CHECK_EQ(reads.ranks, size);
    with("romio_cb_write", "disable", "romio_cb_read", "enable", &writes, &reads);
    CHECK_EQ(writes.count, BLOCKS * size);
    CHECK_EQ(reads.count, windows);
    with("romio_cb_read", "disable", "romio_cb_write", "enable", &writes, &reads);
    CHECK_EQ(writes.count, windows);
    CHECK_EQ(reads.ranks, size);
}

static void so_many_ranks_buffer(void)
{
    struct calls writes, reads;

    for (int nodes = 1; nodes <= size; nodes++) {
        char text[12];

        snprintf(text, sizeof text, "%d", nodes);
        with("cb_nodes", text, "cb_block_size", "512", &writes, &reads);
        CHECK_EQ(writes.ranks, nodes);
    }
}

static void blocks_are_so_large(void)
{
    struct calls writes, reads;

    with("cb_block_size", "4096", "romio_cb_read", "enable", &writes, &reads);
    CHECK_EQ(writes.largest, 4096);
    CHECK_EQ(writes.count, BLOCKS * BLOCK * size / 4096);
    CHECK_EQ(reads.largest, 4096);
    CHECK_EQ(reads.count, BLOCKS * BLOCK * size / 4096);
    with("cb_buffer_size", "8000", "romio_cb_write", "enable", &writes, &reads);
    CHECK(writes.largest <= 4000);
    CHECK(writes.largest >= 2000);
}

static void set_one(MPI_File file, const char *key, const char *value)
{
    MPI_Info info = info_with(key, value);

    CHECK_EQ(MPI_File_set_info(file, info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* Each of an open file's hints alone: its buffers, which are there, are made anew. */
static void an_open_file_changes(void)
{
    MPI_Info info = info_with("cb_block_size", "4096");
    struct calls writes, reads;
    MPI_File file;

    CHECK_EQ(MPI_Info_set(info, "romio_cb_write", "enable"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "romio_cb_read", "enable"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "cb_nodes", "1"), MPI_SUCCESS);
    file = file_in_turn(info);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    access_in_turn(file, &writes, &reads);
    CHECK(writes.ranks == 1 && writes.largest == 4096 && reads.largest == 4096);
    set_one(file, "cb_block_size", "2048");
    access_in_turn(file, &writes, &reads);
    CHECK(writes.ranks == 1 && writes.largest == 2048 && reads.largest == 2048);
    set_one(file, "cb_nodes", "2");
    access_in_turn(file, &writes, &reads);
    CHECK(writes.ranks == 2 && writes.largest == 2048 && reads.largest == 2048);
    set_one(file, "cb_buffer_size", "3000");
    access_in_turn(file, &writes, &reads);
    CHECK(writes.ranks == 2 && writes.largest <= 1500 && reads.largest <= 1500);
    close_file(&file);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("buffered");
    buffers_are_used_or_not();
    so_many_ranks_buffer();
    blocks_are_so_large();
    an_open_file_changes();
    remove_file();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
