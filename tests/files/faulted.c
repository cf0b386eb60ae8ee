/* faulted WHAT [FOLDER]: one access of each rank to a file, while the system may fail (faulty.c, or a full disk).
 *
 * Each rank prints `rank R: done`, or `rank R: class C: TEXT` with the error. Where a call says that all is well, all
 * is well: the program reads the file without MPI. FILE_LIMIT is RLIMIT_FSIZE for it. In the end it prints `hit` for each rank whose fault came. */
#include "check.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define OK(call) CHECK_EQ(call, MPI_SUCCESS)

enum {
    INTS = 65536, /* of a rank */
    BLOCK = 64
};

__attribute__((weak)) void faulty_arm(void);
__attribute__((weak)) int faulty_hits(void);

static int rank, size, values[INTS], got[INTS];
static char path[400];
static MPI_File fh;

static int value_of(int r, int i)
{
    return (r + 1) * 1000000 + i;
}

/* Rank r's int i lies here: block after block of each rank, or all of a rank together. */
static long place_of(int is_strided, int r, int i)
{
    return is_strided ? ((long)i / BLOCK * size + r) * BLOCK + i % BLOCK : (long)r * INTS + i;
}

static void set_view(int is_strided)
{
    MPI_Datatype filetype;

    if (!is_strided) {
        OK(MPI_File_set_view(fh, (MPI_Offset)rank * (MPI_Offset)sizeof values, MPI_INT, MPI_INT, "native",
                             MPI_INFO_NULL));
        return;
    }
    OK(MPI_Type_vector(INTS / BLOCK, BLOCK, BLOCK * size, MPI_INT, &filetype));
    OK(MPI_Type_commit(&filetype));
    OK(MPI_File_set_view(fh, (MPI_Offset)rank * BLOCK * (MPI_Offset)sizeof(int), MPI_INT, filetype, "native",
                         MPI_INFO_NULL));
    OK(MPI_Type_free(&filetype));
}

/* What the file has of this rank, whatever MPI says. */
static void check_file(int is_strided)
{
    size_t bytes = (size_t)size * sizeof values;
    int fd = open(path, O_RDONLY), *all = calloc(1, bytes);

    CHECK(fd >= 0);
    CHECK(all != NULL);
    CHECK(pread(fd, all, bytes, 0) > 0); /* others may have failed */
    for (int i = 0; i < INTS; i++)
        CHECK_EQ(all[place_of(is_strided, rank, i)], value_of(rank, i));
    free(all);
    close(fd);
}

/* A file as it should be, of rank 0's making. */
static void make_file(int is_strided)
{
    size_t bytes = (size_t)size * sizeof values;
    int fd = open(path, O_WRONLY), *all = malloc(bytes);

    CHECK(fd >= 0);
    CHECK(all != NULL);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < INTS; i++)
            all[place_of(is_strided, r, i)] = value_of(r, i);
    CHECK_EQ(pwrite(fd, all, bytes, 0), bytes);
    free(all);
    close(fd);
}

static int written(const char *how, MPI_Status *status)
{
    MPI_Request request;
    int code;

    if (strcmp(how, "write") == 0 || strcmp(how, "atomic") == 0)
        return MPI_File_write_at(fh, 0, values, INTS, MPI_INT, status);
    if (strcmp(how, "write_all") == 0)
        return MPI_File_write_at_all(fh, 0, values, INTS, MPI_INT, status);
    if (strcmp(how, "split") == 0) {
        code = MPI_File_write_all_begin(fh, values, INTS, MPI_INT);
        return code ? code : MPI_File_write_all_end(fh, values, status);
    }
    if (strcmp(how, "iwrite_all") == 0)
        code = MPI_File_iwrite_all(fh, values, INTS, MPI_INT, &request);
    else
        code = MPI_File_iwrite(fh, values, INTS, MPI_INT, &request);
    return code ? code : MPI_Wait(&request, status);
}

static int read_back(const char *how, MPI_Status *status)
{
    MPI_Request request;
    int code;

    if (strcmp(how, "read") == 0)
        return MPI_File_read(fh, got, INTS, MPI_INT, status);
    if (strcmp(how, "read_all") == 0)
        return MPI_File_read_all(fh, got, INTS, MPI_INT, status);
    code = MPI_File_iread_at(fh, 0, got, INTS, MPI_INT, &request);
    return code ? code : MPI_Wait(&request, status);
}

static void tell(int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (code == MPI_SUCCESS) {
        printf("rank %d: done\n", rank);
        return;
    }
    MPI_Error_string(code, text, &length);
    printf("rank %d: class %d: %s\n", rank, class_of(code), text);
}

static void transfer(const char *how, int is_strided)
{
    MPI_Status status;
    int code, count, is_read = strstr(how, "read") != NULL;

    set_view(is_strided);
    if (is_read && rank == 0)
        make_file(is_strided);
    if (strcmp(how, "atomic") == 0)
        OK(MPI_File_set_atomicity(fh, 1));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (faulty_arm)
        faulty_arm();
    code = is_read ? read_back(how, &status) : written(how, &status);
    tell(code);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (code)
        return;
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQ(count, INTS);
    if (is_read)
        CHECK_EQ(memcmp(got, values, sizeof got), 0);
    else
        check_file(is_strided);
}

static void other(const char *what)
{
    if (faulty_arm)
        faulty_arm();
    if (strcmp(what, "sync") == 0)
        tell(MPI_File_sync(fh));
    else if (strcmp(what, "size") == 0)
        tell(MPI_File_set_size(fh, 100000));
    else
        tell(MPI_File_preallocate(fh, 100000));
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "write", *folder = argc > 2 ? argv[2] : "/dev/shm";
    long number = getpid();
    int code, is_open = strcmp(what, "open") == 0, is_strided = strncmp(what, "strided-", 8) == 0;

    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD));
    snprintf(path, sizeof path, "%s/tested_file.%ld", folder, number);
    for (int i = 0; i < INTS; i++)
        values[i] = value_of(rank, i);
    if (getenv("FILE_LIMIT"))
        limit_files((rlim_t)atol(getenv("FILE_LIMIT")));
    if (is_open && faulty_arm)
        faulty_arm();
    code = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &fh);
    if (is_open)
        tell(code);
    else
        OK(code);
    if (strcmp(what, "sync") == 0 || strcmp(what, "size") == 0 || strcmp(what, "preallocate") == 0) {
        OK(MPI_File_write_at(fh, rank, "x", 1, MPI_BYTE, MPI_STATUS_IGNORE));
        other(what);
    } else if (!is_open) {
        transfer(is_strided ? what + 8 : what, is_strided);
    }
    if (faulty_hits && faulty_hits())
        printf("hit\n");
    fflush(stdout);
    if (code == MPI_SUCCESS)
        MPI_File_close(&fh); /* may say what a sync said */
    OK(MPI_Barrier(MPI_COMM_WORLD));
    unlink(path);
    MPI_Finalize();
    return 0;
}
