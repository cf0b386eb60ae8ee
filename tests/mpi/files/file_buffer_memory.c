/* ranks: 2 4  timeout: 60  env: GLIBC_TUNABLES=glibc.malloc.hugetlb=0  also: INKLING_TRANSPORT=ofi  not: address  not: thread */
/* Collective buffering needs no more memory than cb_buffer_size says, however much is moved, and also where what lies
 * between is read and written back: 64 MiB are written and read. */
#include "file.h"
#include "most_memory.h"

enum {
    MIB = 1 << 20,
    BLOCK = 4096, /* bytes of a rank before those of the next */
    TOTAL = 64 * MIB,
    AGGREGATORS = 2,    /* each process of the host maps their buffers */
    ROOM_KIB = 2 * 1024 /* messages of a window, and what else a rank has meanwhile */
};

static unsigned char *memory;
static int bytes; /* of a rank */

/* `gap`: blocks between those of the last rank and the first. */
static void open_with(MPI_File *fh, int buffer_kib, int gap)
{
    char buffer_size[16];
    MPI_Datatype filetype;
    MPI_Info info;

    snprintf(buffer_size, sizeof buffer_size, "%d", buffer_kib * 1024);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "romio_cb_write", "enable"));
    OK(MPI_Info_set(info, "romio_cb_read", "enable"));
    OK(MPI_Info_set(info, "cb_nodes", "2"));
    OK(MPI_Info_set(info, "cb_block_size", buffer_size));
    OK(MPI_Info_set(info, "cb_buffer_size", buffer_size));
    OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, info, fh));
    OK(MPI_Info_free(&info));
    OK(MPI_Type_vector(bytes / BLOCK, BLOCK, BLOCK * (size + gap), MPI_BYTE, &filetype));
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
static long move(int buffer_kib, int gap)
{
    MPI_File fh;
    long more;

    open_with(&fh, buffer_kib, gap);
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
    move(1024, 0); /* what the first messages make is there from now on */
    for (int gap = 0; gap < 2; gap++)
        for (int kib = 1024; kib <= 16 * 1024; kib *= 16) {
            long more = move(kib, gap);

            CHECK(more < AGGREGATORS * kib + ROOM_KIB);
            if (!gap && kib > 1024) /* otherwise memory of the files before may serve again */
                CHECK(more > kib / 2);
        }
    free(memory);
    tear_down();
    return 0;
}
