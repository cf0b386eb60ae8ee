/* ranks: 1 2 3  timeout: 60 */
/* MPI_MODE_SEQUENTIAL is for files without offsets: ranks write a FIFO and read one, each access in one piece, ordered
 * ones in the order of the ranks; and what cannot be done with a FIFO is an error. */
#include "files.h"

#include <errno.h>
#include <pthread.h>

enum {
    INTS = 50000, /* of one access; several times what a FIFO holds */
    TIMES = 4
};

/* The other end of the FIFO, in a thread of rank 0. */
static struct {
    pthread_t thread;
    int *ints, count; /* what has come, or what to write */
    int fd;
} other;

static void *read_all(void *unused)
{
    int room = INTS * TIMES * size * 2 + 1;
    ssize_t n, bytes = 0;

    other.ints = malloc(sizeof(int) * (size_t)room);
    other.fd = open(path, O_RDONLY);
    CHECK(other.fd >= 0);
    while ((n = read(other.fd, (char *)other.ints + bytes, sizeof(int) * (size_t)room - (size_t)bytes)) > 0)
        bytes += n;
    CHECK_EQ(n, 0);
    CHECK_EQ(bytes % (ssize_t)sizeof(int), 0);
    other.count = (int)(bytes / (ssize_t)sizeof(int));
    close(other.fd);
    return unused;
}

static void *write_all(void *unused)
{
    ssize_t n, bytes = (ssize_t)sizeof(int) * other.count, done = 0;

    other.fd = open(path, O_WRONLY);
    CHECK(other.fd >= 0);
    for (; done < bytes; done += n) {
        n = write(other.fd, (char *)other.ints + done, (size_t)(bytes - done));
        CHECK(n > 0);
    }
    close(other.fd); /* perhaps before the other ranks have opened theirs */
    return unused;
}

static void *open_and_close(void *unused)
{
    other.fd = open(path, O_RDONLY);
    CHECK(other.fd >= 0);
    close(other.fd);
    return unused;
}

static void begin_other(void *(*body)(void *), int ints)
{
    if (rank)
        return;
    CHECK(unlink(path) == 0 || errno == ENOENT);
    CHECK_EQ(mkfifo(path, 0600), 0);
    other.count = ints;
    if (ints) {
        other.ints = malloc(sizeof(int) * (size_t)ints);
        for (int i = 0; i < ints; i++)
            other.ints[i] = i;
    }
    CHECK_EQ(pthread_create(&other.thread, NULL, body, NULL), 0);
}

static void end_other(void)
{
    if (rank == 0)
        CHECK_EQ(pthread_join(other.thread, NULL), 0);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

static MPI_File open_stream(int amode)
{
    MPI_File file;

    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, path, amode | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &file),
             MPI_SUCCESS);
    return file;
}

/* So many equal ones. */
static const int *ints_of(int value)
{
    static int ints[INTS];

    for (int i = 0; i < INTS; i++)
        ints[i] = value;
    return ints;
}

static void check_pieces(int first, int pieces, int is_ordered)
{
    for (int p = first; p < first + pieces; p++) {
        int value = other.ints[p * INTS];

        CHECK(!is_ordered || value == p);
        CHECK(value >= 0);
        for (int i = 0; i < INTS; i++)
            CHECK_EQ(other.ints[p * INTS + i], value);
    }
}

static void writing(void)
{
    MPI_Request request;
    MPI_Status status;
    MPI_File file;
    const int *last;

    begin_other(read_all, 0);
    file = open_stream(MPI_MODE_WRONLY);
    for (int i = 0; i < TIMES; i++)
        CHECK_EQ(MPI_File_write_ordered(file, ints_of(i * size + rank), INTS, MPI_INT, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_INT), INTS);
    last = ints_of(TIMES * size + rank);
    CHECK_EQ(MPI_File_write_ordered_begin(file, last, INTS, MPI_INT), MPI_SUCCESS);
    CHECK_EQ(MPI_File_write_ordered_end(file, last, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_INT), INTS);
    CHECK_EQ(MPI_File_write_shared(file, ints_of(1000 + rank), INTS, MPI_INT, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_File_iwrite_shared(file, ints_of(2000 + rank), INTS, MPI_INT, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_INT), INTS);
    CHECK_EQ(MPI_File_sync(file), MPI_SUCCESS);
    close_file(&file);
    end_other();
    if (rank)
        return;
    CHECK_EQ(other.count, (TIMES + 3) * size * INTS);
    check_pieces(0, (TIMES + 1) * size, 1);
    check_pieces((TIMES + 1) * size, 2 * size, 0);
    free(other.ints);
}

/* Each int is the one behind the last; returns the first. */
static int check_rising(const int *got, int count)
{
    for (int i = 1; i < count; i++)
        CHECK_EQ(got[i], got[0] + i);
    return got[0];
}

static void reading(void)
{
    static int got[INTS];
    MPI_Request request;
    MPI_Status status;
    MPI_File file;
    long long first, sum;

    begin_other(write_all, 3 * size * INTS + 5);
    file = open_stream(MPI_MODE_RDONLY);
    CHECK_EQ(MPI_File_read_ordered(file, got, INTS, MPI_INT, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_INT), INTS);
    CHECK_EQ(check_rising(got, INTS), rank * INTS);
    CHECK_EQ(MPI_File_read_shared(file, got, INTS, MPI_INT, &status), MPI_SUCCESS);
    first = check_rising(got, INTS);
    CHECK_EQ(MPI_File_iread_shared(file, got, INTS, MPI_INT, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    first += check_rising(got, INTS);
    CHECK_EQ(MPI_Allreduce(&first, &sum, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(sum, INTS * (long long)size * (4 * size - 1)); /* pieces size ... 3 * size - 1, each once */
    CHECK_EQ(MPI_File_read_ordered(file, got, INTS, MPI_INT, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_INT), rank ? 0 : 5); /* the end */
    close_file(&file);
    end_other();
    if (rank == 0)
        free(other.ints);
}

/* Who wrote has gone before all have opened the FIFO. */
static void short_reading(void)
{
    MPI_Status status;
    MPI_File file;
    int got = -1;

    begin_other(write_all, size);
    file = open_stream(MPI_MODE_RDONLY);
    CHECK_EQ(MPI_File_read_ordered(file, &got, 1, MPI_INT, &status), MPI_SUCCESS);
    CHECK_EQ(got, rank);
    close_file(&file);
    end_other();
    if (rank == 0)
        free(other.ints);
}

static void refusing(void)
{
    MPI_Datatype gaps;
    MPI_File file;
    int value = 0, code;

    CHECK_EQ(MPI_Type_vector(2, 1, 2, MPI_INT, &gaps), MPI_SUCCESS);
    gaps = committed(gaps);
    begin_other(read_all, 0);
    file = open_stream(MPI_MODE_WRONLY);
    CHECK_EQ(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, gaps, "native", MPI_INFO_NULL),
             MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE)),
             MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_EQ(class_of(MPI_File_write_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE)),
             MPI_ERR_UNSUPPORTED_OPERATION);
    close_file(&file);
    end_other();
    CHECK_EQ(MPI_Type_free(&gaps), MPI_SUCCESS);
    if (rank)
        return;
    free(other.ints);
    CHECK_EQ(other.count, 0);
    begin_other(open_and_close, 0);
    CHECK_EQ(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &file),
             MPI_SUCCESS);
    CHECK_EQ(pthread_join(other.thread, NULL), 0);
    code = MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE); /* and no SIGPIPE */
    CHECK_CODE(code, MPI_ERR_IO, "Broken pipe");
    close_file(&file);
}

int main(int argc, char **argv)
{
    int provided;

    CHECK_EQ(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    name_file("streams");
    writing();
    reading();
    short_reading();
    refusing();
    remove_file();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
