/* file: shared by the tests of files.
 *
 *     set_up(&argc, &argv);          MPI, rank, size, and `path`, a file of this job that does not exist
 *     REFUSED(call, class, "word")   the call fails with this class, and its message has the word
 *     tear_down();                   removes `path`, and ends MPI
 */
#ifndef TESTS_MPI_FILE_H
#define TESTS_MPI_FILE_H

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#define OK(call)                   CHECK_EQ(call, MPI_SUCCESS)
#define REFUSED(call, class, word) CHECK_CODE(call, class, word)

static int rank, size;
static char path[256], name[64]; /* the path, and its last part, which messages must have */

static inline void set_up(int *argc, char ***argv)
{
    long number = getpid();

    OK(MPI_Init(argc, argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD));
    snprintf(name, sizeof name, "tested_file.%ld", number);
    snprintf(path, sizeof path, "/dev/shm/%s", name);
}

static inline void barrier(void)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static inline void tear_down(void)
{
    barrier();
    if (rank == 0)
        CHECK(unlink(path) == 0 || errno == ENOENT);
    MPI_Finalize();
}

/* A file of rank 0's making, with bytes 0, 1, 2, ... */
static inline void make_file(size_t bytes, mode_t mode)
{
    if (rank == 0) {
        int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, mode);

        CHECK(fd >= 0);
        CHECK_EQ(fchmod(fd, mode), 0);
        for (size_t i = 0; i < bytes; i++) {
            unsigned char byte = (unsigned char)i;

            CHECK_EQ(write(fd, &byte, 1), 1);
        }
        close(fd);
    }
    barrier();
}

static inline MPI_File opened(int amode)
{
    MPI_File fh;

    OK(MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &fh));
    return fh;
}

/* What the file has at this place, whatever MPI says. */
static inline int byte_at(off_t at)
{
    unsigned char byte;
    int fd = open(path, O_RDONLY), got;

    CHECK(fd >= 0);
    got = (int)pread(fd, &byte, 1, at);
    close(fd);
    return got == 1 ? byte : -1;
}

static inline long long size_of_file(void)
{
    struct stat st;

    CHECK_EQ(stat(path, &st), 0);
    return st.st_size;
}

static inline int count_of(const MPI_Status *status, MPI_Datatype type)
{
    int count;

    OK(MPI_Get_count(status, type, &count));
    return count;
}

#endif
