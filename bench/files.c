/* files WHAT FOLDER [rounds] [KEY VALUE]: what accesses to a file cost, in a file that is there already and in the page cache; the
 * median over the rounds, of the slowest rank. With KEY in turn without and with this hint: `off` and `on`.
 *
 *     contiguous   64 MiB, each rank its part, collective: write, read, in GB/s; write_hand, read_hand: pwrite, pread
 *     cube         256^3 doubles, each rank a column of them in two dimensions, collective: write, read
 *     blocks       32 MiB, blocks of 1 KiB in turn, collective: write, read
 *     sieve        256 bytes of each 1 KiB of 64 MiB, each rank others, independent: read, in GB/s of what is wanted;
 *                  write, the same pattern
 *     records      32 records of 1 MiB, at places in no order of 256 MiB, of each 256 bytes in each 1 KiB, independent; the file is not
 *                  in the page cache: read, us each
 *     shared       100,000 writes of 64 bytes by the shared pointer, of all ranks together: us each
 *     open         1,000 files are opened and closed: us each
 *     tiny_SIZE    2,000 collective writes of one byte of each rank, through buffers (romio_cb_write=enable) of this cb_buffer_size: us each */
#include "measure.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MIB = 1 << 20,
    SIDE = 256,
    SHARED_WRITES = 100000,
    OPENS = 1000,
    TINY_WRITES = 2000,
    RECORDS = 32,
    PLACES = 256
};

static int rank, size, fd;
static char path[400];
static char *memory;
static size_t bytes; /* of a rank */
static size_t total; /* of the file, when it begins */
static MPI_File fh;
static MPI_Datatype filetype = MPI_BYTE;
static MPI_Offset begin;
static int is_cold; /* the page cache loses the file before each call */

static void write_all(void)
{
    MPI_File_write_at_all(fh, 0, memory, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void read_all(void)
{
    MPI_File_read_at_all(fh, 0, memory, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void write_alone(void)
{
    MPI_File_write_at(fh, 0, memory, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void read_alone(void)
{
    MPI_File_read_at(fh, 0, memory, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void write_hand(void)
{
    if (pwrite(fd, memory, bytes, (off_t)begin) != (ssize_t)bytes)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void read_hand(void)
{
    if (pread(fd, memory, bytes, (off_t)begin) != (ssize_t)bytes)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void write_shared(void)
{
    for (int i = 0; i < SHARED_WRITES / size; i++)
        MPI_File_write_shared(fh, memory, 64, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void write_tiny(void)
{
    for (int i = 0; i < TINY_WRITES; i++)
        MPI_File_write_at_all(fh, rank, memory, 1, MPI_BYTE, MPI_STATUS_IGNORE);
}

/* Each rank has others: 89 and the number of places have no common factor. */
static void read_records(void)
{
    for (int i = rank; i < RECORDS; i += size)
        MPI_File_read_at(fh, (MPI_Offset)(i * 89 % PLACES) * (MPI_Offset)bytes, memory, (int)bytes, MPI_BYTE,
                         MPI_STATUS_IGNORE);
}

static void open_close(void)
{
    for (int i = 0; i < OPENS; i++) {
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
        MPI_File_close(&fh);
    }
}

/* Seconds, of the slowest rank. */
static double time_of(void (*call)(void))
{
    double start, spent;

    if (is_cold)
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    call();
    spent = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return spent;
}

static void contiguous(void)
{
    total = 64 * (size_t)MIB;
    bytes = total / (size_t)size;
    begin = (MPI_Offset)bytes * rank;
}

static void cube(void)
{
    int grid[3] = {1, 0, 0}, sizes[3] = {SIDE, SIDE, SIDE * 8}, part[3], at[3];

    MPI_Dims_create(size, 3, grid);
    part[0] = SIDE;
    part[1] = SIDE / grid[1];
    part[2] = SIDE / grid[2] * 8;
    at[0] = 0;
    at[1] = rank / grid[2] * part[1];
    at[2] = rank % grid[2] * part[2];
    total = (size_t)SIDE * SIDE * SIDE * 8;
    bytes = (size_t)part[0] * (size_t)part[1] * (size_t)part[2];
    MPI_Type_create_subarray(3, sizes, part, at, MPI_ORDER_C, MPI_BYTE, &filetype);
}

static void every(int length, int step, size_t of)
{
    total = of;
    bytes = total / (size_t)step * (size_t)length;
    MPI_Type_vector((int)(total / (size_t)step), length, step, MPI_BYTE, &filetype);
    begin = (MPI_Offset)rank * length;
}

static void blocks(void)
{
    every(1024, 1024 * size, 32 * (size_t)MIB);
}

static void sieve(void)
{
    every(256, 1024, 64 * (size_t)MIB);
}

static void records(void)
{
    MPI_Datatype one;

    every(256, 1024, MIB);
    MPI_Type_create_resized(filetype, 0, MIB, &one);
    MPI_Type_free(&filetype);
    filetype = one;
    total = PLACES * (size_t)MIB;
    is_cold = 1;
}

static void one_record(void)
{
    bytes = 64;
}

static const struct workload {
    const char *name;
    void (*describe)(void);
    struct {
        const char *name;
        void (*call)(void);
    } part[4];
    double per;         /* 0: GB/s; else us of so many */
    const char *buffer; /* cb_buffer_size, with romio_cb_write=enable; NULL: no hints */
} workloads[] = {
    {"contiguous",
     contiguous,
     {{"write", write_all}, {"read", read_all}, {"write_hand", write_hand}, {"read_hand", read_hand}},
     0},
    {"cube", cube, {{"write", write_all}, {"read", read_all}}, 0},
    {"blocks", blocks, {{"write", write_all}, {"read", read_all}}, 0},
    {"sieve", sieve, {{"read", read_alone}, {"write", write_alone}}, 0},
    {"records", records, {{"read", read_records}}, RECORDS},
    {"shared", one_record, {{"write", write_shared}}, SHARED_WRITES},
    {"open", one_record, {{"close", open_close}}, OPENS},
    {"tiny_4K", one_record, {{"write", write_tiny}}, TINY_WRITES, "4096"},
    {"tiny_1M", one_record, {{"write", write_tiny}}, TINY_WRITES, "1048576"},
    {"tiny_16M", one_record, {{"write", write_tiny}}, TINY_WRITES, "16777216"},
};

/* So that its pages are there. */
static void fill_file(void)
{
    char *page = calloc(1, MIB);

    if (!page)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t at = 0; at < total && rank == 0; at += MIB)
        if (pwrite(fd, page, MIB, (off_t)at) != MIB)
            MPI_Abort(MPI_COMM_WORLD, 1);
    if (is_cold)
        fsync(fd); /* only pages that are stored can be dropped */
    free(page);
}

static void open_file(MPI_Info info)
{
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &fh);
    MPI_File_set_errhandler(fh, MPI_ERRORS_ARE_FATAL);
    MPI_File_set_view(fh, begin, MPI_BYTE, filetype, "native", MPI_INFO_NULL);
}

/* In GB/s or us. */
static double figure(const struct workload *w, double seconds)
{
    return w->per > 0 ? seconds / w->per * 1e6 : (double)bytes * size / seconds / 1e9;
}

/* The parts in turn, so that what changes meanwhile is the same for all. */
static void measure(const struct workload *w, int rounds, MPI_Info info)
{
    double *value[4] = {NULL};

    open_file(info);
    if (w->per == 0)
        time_of(w->part[0].call);
    for (int i = 0; i < rounds; i++)
        for (int p = 0; p < 4 && w->part[p].name; p++) {
            if (!value[p])
                value[p] = malloc((size_t)rounds * sizeof *value[p]);
            if (w->per > 0 && w->part[p].call == write_shared)
                MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
            value[p][i] = figure(w, time_of(w->part[p].call));
        }
    for (int p = 0; p < 4 && value[p]; p++) {
        if (rank == 0)
            printf("%s_%s %.4f\n", w->name, w->part[p].name, measure_median(value[p], rounds));
        free(value[p]);
    }
    if (w->part[0].call != open_close)
        MPI_File_close(&fh);
}

/* The first part without and with a hint. */
static void compare(const struct workload *w, int rounds, MPI_Info info)
{
    double *value[2] = {malloc((size_t)rounds * sizeof(double)), malloc((size_t)rounds * sizeof(double))};

    open_file(MPI_INFO_NULL);
    time_of(w->part[0].call);
    MPI_File_close(&fh);
    for (int i = 0; i < 2 * rounds; i++) {
        open_file(i % 2 ? info : MPI_INFO_NULL);
        value[i % 2][i / 2] = figure(w, time_of(w->part[0].call));
        MPI_File_close(&fh);
    }
    if (rank == 0)
        printf("off %.4f\non %.4f\n", measure_median(value[0], rounds), measure_median(value[1], rounds));
    free(value[0]);
    free(value[1]);
}

int main(int argc, char **argv)
{
    const struct workload *w = NULL;
    int rounds = (int)measure_argument(argc, argv, 3, 5);
    long number = getpid();
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        if (argc > 2 && strcmp(argv[1], workloads[i].name) == 0)
            w = &workloads[i];
    if (!w)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/bench_file.%ld", argv[2], number);
    w->describe();
    if (filetype != MPI_BYTE)
        MPI_Type_commit(&filetype);
    memory = malloc(bytes);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    if (!memory || fd < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(memory, rank + 1, bytes);
    fill_file();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Info_create(&info);
    if (argc > 5) {
        MPI_Info_set(info, argv[4], argv[5]);
        compare(w, rounds, info);
    } else {
        if (w->buffer) {
            MPI_Info_set(info, "romio_cb_write", "enable");
            MPI_Info_set(info, "cb_buffer_size", w->buffer);
        }
        measure(w, rounds, info);
    }
    MPI_Info_free(&info);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(path);
    MPI_Finalize();
    free(memory);
    return 0;
}
