/* no_memory WRITE VICTIM FIRST [for-good]: one rank has no memory somewhere in a collective access through buffers.
 *
 * WRITE is write, read or spread (a write from memory with gaps); with `again-` before it, a file is kept open, so that the
 * buffers are there. The FIRST allocation of the access on rank VICTIM fails, then in a next access the one behind it, and
 * so on, until an access has fewer; for-good: all behind it in the access fail as well. The victim prints the number of each before it tries, and all ranks `over` in the end.
 * Who is told that all is well can rely on it; after an error on any rank the next access works. */
#include "mpi/failing_memory.h"
#include "mpi/file.h"

enum {
    BLOCK = 100, /* ints; of each rank in turn, and a gap behind those of the last */
    INTS = 64 * BLOCK
};

static int values[INTS], got[INTS], with_gaps[2 * INTS];
static MPI_File fh;
static MPI_Datatype spread;

static void set_buffers(MPI_Info info)
{
    OK(MPI_Info_set(info, "romio_cb_write", "enable"));
    OK(MPI_Info_set(info, "romio_cb_read", "enable"));
    OK(MPI_Info_set(info, "cb_nodes", "2"));
    OK(MPI_Info_set(info, "cb_buffer_size", "65536"));
}

static void open_file(void)
{
    MPI_Datatype filetype;
    MPI_Info info;

    OK(MPI_Info_create(&info));
    set_buffers(info);
    OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &fh));
    OK(MPI_Info_free(&info));
    OK(MPI_Type_vector(INTS / BLOCK, BLOCK, BLOCK * (size + 1), MPI_INT, &filetype));
    OK(MPI_Type_commit(&filetype));
    OK(MPI_File_set_view(fh, (MPI_Offset)rank * BLOCK * (MPI_Offset)sizeof(int), MPI_INT, filetype, "native",
                         MPI_INFO_NULL));
    OK(MPI_Type_free(&filetype));
}

static int write_all(void)
{
    return TRY(MPI_File_write_at_all(fh, 0, values, INTS, MPI_INT, MPI_STATUS_IGNORE));
}

static int read_all(void)
{
    return TRY(MPI_File_read_at_all(fh, 0, got, INTS, MPI_INT, MPI_STATUS_IGNORE));
}

static int write_spread(void)
{
    return TRY(MPI_File_write_at_all(fh, 0, with_gaps, 1, spread, MPI_STATUS_IGNORE));
}

static void fill(long salt)
{
    for (int i = 0; i < INTS; i++)
        with_gaps[2 * i] = values[i] = (rank * INTS + i) * 8 + (int)salt % 8;
    memset(got, 0, sizeof got);
}

/* What a rank was told is true. */
static void check_told(int (*access)(void), int code)
{
    if (code == MPI_SUCCESS && access != read_all)
        OK(MPI_File_read_at(fh, 0, got, INTS, MPI_INT, MPI_STATUS_IGNORE));
    if (code == MPI_SUCCESS)
        CHECK_EQ(memcmp(got, values, sizeof got), 0);
}

/* Whether the victim's access had as many allocations. */
static int fail_one(int (*access)(void), int victim, long n)
{
    int code, has_failed;

    until_failure = rank == victim ? n : 0;
    code = access();
    has_failed = rank == victim && !until_failure;
    until_failure = 0;
    check_told(access, code);
    OK(MPI_Bcast(&has_failed, 1, MPI_INT, victim, MPI_COMM_WORLD));
    CHECK(has_failed || code == MPI_SUCCESS);
    return has_failed;
}

static void next_access_works(long n)
{
    barrier(); /* others have read what was written before */
    fill(n + 1);
    OK(write_all());
    OK(read_all());
    CHECK_EQ(memcmp(got, values, sizeof got), 0);
}

static void each_allocation(int (*access)(void), bool keeps_file, int victim, long n)
{
    int has_failed;

    open_file();
    if (keeps_file)
        next_access_works(0);
    do {
        if (rank == victim) {
            printf("%ld\n", n);
            fflush(stdout);
        }
        fill(n);
        if (access == read_all)
            OK(MPI_File_write_at(fh, 0, values, INTS, MPI_INT, MPI_STATUS_IGNORE));
        barrier();
        has_failed = fail_one(access, victim, n++);
        next_access_works(n);
        if (!keeps_file) {
            OK(MPI_File_close(&fh));
            open_file();
        }
    } while (has_failed);
    OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "write";
    bool keeps_file = strncmp(what, "again-", 6) == 0;
    int victim = argc > 2 ? atoi(argv[2]) : 0;
    long first = argc > 3 ? atol(argv[3]) : 1;

    fails_for_good = argc > 4;
    set_up(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Type_vector(INTS, 1, 2, MPI_INT, &spread));
    OK(MPI_Type_commit(&spread));
    what += keeps_file ? 6 : 0;
    each_allocation(*what == 'r'   ? read_all
                    : *what == 's' ? write_spread
                                   : write_all,
                    keeps_file, victim, first);
    OK(MPI_Type_free(&spread));
    printf("over\n");
    tear_down();
    return 0;
}
