/* ranks: 2 4  timeout: 60 */
/* Handles of their own write the gaps of each other at the same time. The first may sieve what it writes while it is
 * alone; nobody who comes, writes and goes meanwhile loses a byte. */
#include "files.h"

#include <sys/syscall.h>

enum {
    ROUNDS = 30,
    WRITES = 6,
    RUNS = 500
};

static int pwrites;

/* Before the system's, for the library too: what is sieved lies a while between being read and being written. */
#pragma GCC visibility push(default)

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    pwrites++;
    if (bytes > sizeof(int))
        usleep(500);
    return syscall(SYS_pwrite64, fd, from, bytes, at);
}

#pragma GCC visibility pop

static MPI_File open_own(int at)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_File file;

    CHECK_EQ(MPI_Type_create_subarray(1, &size, &(int){1}, &at, MPI_ORDER_C, MPI_INT, &type), MPI_SUCCESS);
    type = committed(type);
    CHECK_EQ(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file),
             MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    return file;
}

static int writes_of(MPI_File file, int value)
{
    int values[RUNS];

    for (int i = 0; i < RUNS; i++)
        values[i] = value;
    pwrites = 0;
    CHECK_EQ(MPI_File_write_at(file, 0, values, RUNS, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    return pwrites;
}

/* Rank 0's handle is there all the time, and written to until the others, which come and go, are gone. */
static void write_round(MPI_File file, int round)
{
    MPI_Request others = MPI_REQUEST_NULL;
    int are_gone = 0;

    for (int i = 0; i < WRITES && rank; i++) {
        file = open_own(rank);
        writes_of(file, round * WRITES + i);
        close_file(&file);
    }
    CHECK_EQ(MPI_Ibarrier(MPI_COMM_WORLD, &others), MPI_SUCCESS);
    while (!are_gone) {
        if (rank == 0)
            writes_of(file, round);
        CHECK_EQ(MPI_Test(&others, &are_gone, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS); /* rank 0 has written */
}

static void check_round(int fd, int round)
{
    static int all[RUNS * 8];

    CHECK_EQ(pread(fd, all, sizeof(int) * RUNS * (size_t)size, 0), (ssize_t)sizeof(int) * RUNS * size);
    for (int i = 0; i < RUNS * size; i++) {
        int last = i % size ? round * WRITES + WRITES - 1 : round;

        CHECK_EQ(all[i], last);
    }
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

/* Only the first handle sieves, and only while there is no other one. */
static void only_one_alone_sieves(void)
{
    MPI_File first = open_own(0), second;

    CHECK_EQ(writes_of(first, 1), 1);
    second = open_own(1);
    CHECK_EQ(writes_of(first, 2), RUNS);
    CHECK_EQ(writes_of(second, 2), RUNS);
    close_file(&second);
    CHECK_EQ(writes_of(first, 3), 1);
    second = open_own(1);
    close_file(&first);
    CHECK_EQ(writes_of(second, 4), RUNS);
    close_file(&second);
}

int main(int argc, char **argv)
{
    MPI_File file = MPI_FILE_NULL;
    int fd;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("handles");
    if (rank == 0)
        only_one_alone_sieves();
    if (rank == 0)
        file = open_own(0);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    fd = open(path, O_RDONLY);
    for (int round = 0; round < ROUNDS; round++) {
        write_round(file, round);
        check_round(fd, round);
    }
    close(fd);
    if (rank == 0)
        close_file(&file);
    remove_file();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
