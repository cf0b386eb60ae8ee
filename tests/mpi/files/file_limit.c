/* ranks: 1 2 */
/* RLIMIT_FSIZE that is lowered while a file is open: each way to write beyond it is an error with the system's
 * reason, and no SIGXFSZ ends the process. The signal's default is back after the last of several files, and a
 * program's own handler stays throughout. */
#include "file.h"

#include <signal.h>
#include <sys/resource.h>

enum {
    LIMIT = 65536
};

static volatile sig_atomic_t caught;

static void count(int number)
{
    (void)number;
    caught++;
}

static void (*disposition(void))(int)
{
    struct sigaction found;

    CHECK_EQ(sigaction(SIGXFSZ, NULL, &found), 0);
    return found.sa_handler;
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes ? bytes : limit.rlim_max;
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void write_beyond(MPI_File fh)
{
    MPI_Request request;
    char bytes[100] = {1};

    REFUSED(MPI_File_write_at(fh, LIMIT + 100 * rank, bytes, 100, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_IO,
            "File too large");
    REFUSED(MPI_File_write_at(fh, LIMIT - 50, bytes, 100, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_IO, name);
    OK(MPI_File_iwrite_at(fh, LIMIT + 100 * rank, bytes, 100, MPI_BYTE, &request));
    REFUSED(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_IO, "File too large");
    CHECK_EQ(class_of(MPI_File_write_at_all(fh, LIMIT + 100 * rank, bytes, 100, MPI_BYTE, MPI_STATUS_IGNORE)),
             MPI_ERR_IO);
    CHECK_EQ(class_of(MPI_File_set_size(fh, LIMIT + 1)), MPI_ERR_IO);
    CHECK_EQ(class_of(MPI_File_preallocate(fh, LIMIT + 1)), MPI_ERR_IO);
}

/* The first file that is open takes the signal's default away, and the last one brings it back. */
static void first_and_last(void)
{
    MPI_File fh, other;

    CHECK(disposition() == SIG_DFL);
    fh = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    CHECK(disposition() != SIG_DFL);
    other = opened(MPI_MODE_RDONLY);
    OK(MPI_File_close(&fh));
    CHECK(disposition() != SIG_DFL);
    OK(MPI_File_close(&other));
    CHECK(disposition() == SIG_DFL);
}

int main(int argc, char **argv)
{
    MPI_File fh, other;
    char byte = 7;

    set_up(&argc, &argv);
    first_and_last();
    fh = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    other = opened(MPI_MODE_RDONLY);
    OK(MPI_File_close(&other));
    limit_files(LIMIT);
    write_beyond(fh);
    limit_files(0);
    OK(MPI_File_write_at(fh, LIMIT + rank, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(byte_at(LIMIT + rank), 7);
    OK(MPI_File_close(&fh));
    CHECK(disposition() == SIG_DFL);

    signal(SIGXFSZ, count);
    fh = opened(MPI_MODE_RDWR);
    CHECK(disposition() == count);
    limit_files(LIMIT);
    REFUSED(MPI_File_write_at(fh, LIMIT, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_IO,
            "File too large");
    limit_files(0);
    CHECK_EQ(caught, 1);
    OK(MPI_File_close(&fh));
    CHECK(disposition() == count);
    tear_down();
    return 0;
}
