/* ranks: 2 4  timeout: 60  also: INKLING_TRANSPORT=ofi  not: address  not: thread */
/* Collective buffering needs no more memory than cb_buffer_size says, however much is moved: 256 MiB are written and read. */
#include "file.h"
#include "most_memory.h"

enum {
    MIB = 1 << 20,
    BLOCK = 4096, /* bytes of a rank before those of the next */
    TOTAL = 256 * MIB,
    ROOM_KIB = 4 * 1024 /* 1 MiB of each of two aggregators, and a window or two in messages of each rank */
};

static unsigned char *memory;
static int bytes; /* of a rank */

static void open_with(MPI_File *fh, const char *buffer_size)
{
    MPI_Datatype filetype;
    MPI_Info info;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "romio_cb_write", "enable"));
    OK(MPI_Info_set(info, "romio_cb_read", "enable"));
    OK(MPI_Info_set(info, "cb_nodes", "2"));
    OK(MPI_Info_set(info, "cb_block_size", buffer_size));
    OK(MPI_Info_set(info, "cb_buffer_size", buffer_size));
    OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, info, fh));
    OK(MPI_Info_free(&info));
    OK(MPI_Type_vector(bytes / BLOCK, BLOCK, BLOCK * size, MPI_BYTE, &filetype));
    OK(MPI_Type_commit(&filetype));
    OK(MPI_File_set_view(*fh, (MPI_Offset)rank * BLOCK, MPI_BYTE, filetype, "native", MPI_INFO_NULL));
    OK(MPI_Type_free(&filetype));
}

/* Each block has a value of its own. */
static int value_of(int block)
{
    return (block * 7 + rank) % 251;
}

static void fill(void)
{
    for (int b = 0; b < bytes / BLOCK; b++)
        memset(memory + (size_t)b * BLOCK, value_of(b), BLOCK);
}

static void check_filled(void)
{
    for (int b = 0; b < bytes / BLOCK; b++) {
        const unsigned char *block = memory + (size_t)b * BLOCK;

        CHECK_EQ(block[0], value_of(b));
        CHECK_EQ(memcmp(block, block + 1, BLOCK - 1), 0);
    }
}

/* Writes and reads all, and returns how many KiB more a rank had meanwhile, at most. */
static long move(const char *buffer_size)
{
    MPI_File fh;
    long more;

    open_with(&fh, buffer_size);
    fill();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    forget_most();
    more = -most_kib();
    OK(MPI_File_write_at_all(fh, 0, memory, bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    memset(memory, 0, (size_t)bytes);
    OK(MPI_File_read_at_all(fh, 0, memory, bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    more += most_kib();
    check_filled();
    OK(MPI_File_close(&fh));
    OK(MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD));
    return more;
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    bytes = TOTAL / size;
    memory = malloc((size_t)bytes);
    CHECK(memory != NULL);
    move("1048576"); /* what the first messages make is there from now on */
    CHECK(move("1048576") < ROOM_KIB);
    CHECK(move("67108864") > ROOM_KIB);
    free(memory);
    tear_down();
    return 0;
}
