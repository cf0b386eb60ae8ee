/* ranks: 2 timeout: 60 also: INKLING_CMA=false */
/* Large messages without gaps, received into items that have some: long runs are read straight into their
 * places, many at once, short ones come through a buffer. Messages that end within a run, that are too long
 * or too short; a kernel that stops within a piece, or refuses after some reads. The program's own
 * process_vm_readv counts, stops and refuses. */
#include "p2p.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    BYTES = 700 * 1024, /* of the longest message */
    SPAN = 2 << 20,
    UNTOUCHED = 0xee,
    PIECES_MAX = 1024,
    ALL = 1 << 30
};

static int reads, scattered;                 /* that succeeded; those of them with several pieces */
static int reads_allowed = ALL, stops = ALL; /* after so many reads; after so many bytes of each */
static unsigned char *dense, *packed, *got, *expected;

/* The pieces as far as the kernel shall fill them; returns how many. */
static unsigned long cut(struct iovec *piece, const struct iovec *here, unsigned long heres)
{
    size_t left = (size_t)stops;
    unsigned long n = 0;

    while (n < heres && left) {
        piece[n] = here[n];
        if (piece[n].iov_len > left)
            piece[n].iov_len = left;
        left -= piece[n++].iov_len;
    }
    return n;
}

#pragma GCC visibility push(default) /* so that the library calls this */
ssize_t process_vm_readv(pid_t pid, const struct iovec *here, unsigned long heres, const struct iovec *there,
                         unsigned long theres, unsigned long flags)
{
    struct iovec piece[PIECES_MAX];
    ssize_t moved;

    CHECK(heres <= PIECES_MAX);
    if (reads_allowed-- <= 0) {
        errno = EPERM;
        return -1;
    }
    moved = syscall(SYS_process_vm_readv, pid, piece, cut(piece, here, heres), there, theres, flags);
    reads += moved > 0;
    scattered += moved > 0 && heres > 1;
    return moved;
}
#pragma GCC visibility pop

/* Rank 1 receives `bytes` bytes into items with room for `room`. */
static void receive(int bytes, int room, int count, MPI_Datatype type, unsigned message)
{
    int code, position = 0, arrived = bytes < room ? bytes : room;
    MPI_Status status;

    memset(got, UNTOUCHED, SPAN);
    code = MPI_Recv(got, count, type, 0, 7, MPI_COMM_WORLD, &status);
    if (bytes > room) {
        CHECK_CODE(code, MPI_ERR_TRUNCATE, "bytes arrived from rank 0");
    } else {
        CHECK_EQ(code, MPI_SUCCESS);
        CHECK_STATUS(&status, 0, 7, bytes);
    }
    memset(expected, UNTOUCHED, SPAN);
    fill(packed, (size_t)room, message);
    CHECK_EQ(MPI_Unpack(packed, room, &position, expected, count, type, MPI_COMM_WORLD), MPI_SUCCESS);
    memset(packed, UNTOUCHED, (size_t)room); /* what did not arrive */
    position = 0;
    CHECK_EQ(MPI_Pack(got, count, type, packed, room, &position, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(find_wrong(packed, (size_t)arrived, message), -1);
    for (int i = arrived; i < room; i++)
        CHECK(packed[i] == UNTOUCHED);
    if (arrived == room)
        CHECK(memcmp(got, expected, SPAN) == 0);
}

static void one(int bytes, int count, MPI_Datatype type)
{
    static unsigned message;
    int size_of_one;

    message++;
    MPI_Type_size(type, &size_of_one);
    if (rank == 0) {
        fill(dense, (size_t)bytes, message);
        CHECK_EQ(MPI_Send(dense, bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD), MPI_SUCCESS);
    } else {
        receive(bytes, count * size_of_one, count, type, message);
    }
}

static void lengths(int count, MPI_Datatype type)
{
    int size_of_one, room;

    MPI_Type_commit(&type);
    MPI_Type_size(type, &size_of_one);
    room = count * size_of_one;
    one(room, count, type);
    one(room - 1, count, type);
    one(room / 2 + 17, count, type);
    one(room + 4096, count, type);
    MPI_Type_free(&type);
}

static MPI_Datatype runs(int count, int bytes, int stride)
{
    MPI_Datatype type;

    MPI_Type_vector(count, bytes, stride, MPI_BYTE, &type);
    return type;
}

/* Runs of these lengths, with gaps of 40 bytes. */
static MPI_Datatype uneven(int count, const int *length)
{
    int at[64];
    MPI_Datatype type;

    for (int i = 0, end = 0; i < count; end += length[i++] + 40)
        at[i] = end;
    MPI_Type_indexed(count, length, at, MPI_BYTE, &type);
    return type;
}

/* Blocks of one length at uneven distances. */
static MPI_Datatype scattered_blocks(int count, int bytes)
{
    int at[512];
    MPI_Datatype type;

    for (int i = 0, end = 0; i < count; i++) {
        at[i] = end;
        end += bytes + 8 + i * 7 % 64;
    }
    MPI_Type_create_indexed_block(count, bytes, at, MPI_BYTE, &type);
    return type;
}

static MPI_Datatype nested(void)
{
    MPI_Datatype inner = runs(5, 1500, 1600), type;

    MPI_Type_create_hvector(9, 1, 20000, inner, &type);
    MPI_Type_free(&inner);
    return type;
}

static void layouts(void)
{
    static const int long_and_short[] = {9000, 3, 5000, 700, 1}, mostly_short[] = {3000, 8, 8, 8, 8, 8, 8, 8};

    lengths(1, runs(160, 4096, 5000));
    lengths(1, runs(600, 1024, 2048));
    lengths(1, runs(300, 1023, 2048));
    lengths(1, runs(3, 200000, 200100));
    lengths(1, runs(20000, 8, 16));
    lengths(40, uneven(5, long_and_short));
    lengths(200, uneven(8, mostly_short));
    lengths(1, scattered_blocks(400, 1536));
    lengths(7, nested());
}

static void long_runs_are_read_in_place(void)
{
    scattered = 0;
    lengths(1, runs(160, 4096, 5000));
    if (rank == 1 && reads)
        CHECK(scattered >= 4);
    scattered = 0;
    lengths(1, runs(20000, 8, 16));
    CHECK_EQ(scattered, 0);
}

static void kernel_stops(void)
{
    static const int after[] = {1024, 10001, 65537};

    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
        stops = after[i];
        layouts();
    }
    stops = ALL;
}

static void kernel_refuses(void)
{
    for (int allowed = 0; allowed < 4; allowed++) {
        reads_allowed = allowed;
        lengths(1, runs(600, 1024, 2048));
    }
    reads_allowed = ALL;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    dense = malloc(BYTES);
    packed = malloc(BYTES);
    got = malloc(SPAN);
    expected = malloc(SPAN);
    CHECK(dense && packed && got && expected);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    layouts();
    long_runs_are_read_in_place();
    kernel_stops();
    kernel_refuses();
    free(dense);
    free(packed);
    free(got);
    free(expected);
    MPI_Finalize();
    return 0;
}
