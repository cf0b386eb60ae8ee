/* files: what the tests of files share. Each test has a file of its own in the working folder or below TMPDIR, made
 * anew; all ranks call these. */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, size;
static char path[512];

/* Names a file that no other test or run uses; nothing is there. */
static inline void name_file(const char *name)
{
    const char *folder = getenv("TMPDIR");
    int job = (int)getpid();

    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Bcast(&job, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    snprintf(path, sizeof path, "%s/inkling_%s_%d", folder ? folder : "/tmp", name, job);
    if (rank == 0)
        unlink(path);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

static inline MPI_File open_new(int more)
{
    MPI_File file;

    CHECK_EQ(
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | more, MPI_INFO_NULL, &file),
        MPI_SUCCESS);
    return file;
}

static inline void close_file(MPI_File *file)
{
    CHECK_EQ(MPI_File_close(file), MPI_SUCCESS);
    CHECK_EQ(*file, MPI_FILE_NULL);
}

static inline void remove_file(void)
{
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0)
        CHECK_EQ(MPI_File_delete(path, MPI_INFO_NULL), MPI_SUCCESS);
}

/* The bytes of the file as the system sees it. */
static inline long long bytes_on_disk(void)
{
    struct stat status;

    CHECK_EQ(stat(path, &status), 0);
    return (long long)status.st_size;
}

static inline int count_of(MPI_Status *status, MPI_Datatype type)
{
    int count;

    CHECK_EQ(MPI_Get_count(status, type, &count), MPI_SUCCESS);
    return count;
}

static inline MPI_Datatype committed(MPI_Datatype type)
{
    CHECK_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
    return type;
}

#endif
