/* ranks: 2 3 */
/* Where the locks of some ranks are seen by nobody else, as on the clients of a server that exports its disk, no rank
 * writes bytes that it has read, unless a promise of the program allows it. */
#include "files.h"

#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

enum {
    RUNS = 64,
    GAP = 2 /* ints */
};

static int pwrites, is_client;

/* Before the system's, for the library too. */
#pragma GCC visibility push(default)

int fstatfs(int fd, struct statfs *status)
{
    int code = (int)syscall(SYS_fstatfs, fd, status);

    if (is_client)
        status->f_type = NFS_SUPER_MAGIC;
    return code;
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    pwrites++;
    return syscall(SYS_pwrite64, fd, from, bytes, at);
}

#pragma GCC visibility pop

/* Calls that this rank makes to write runs with gaps. */
static int writes_with(int amode)
{
    int ints[RUNS] = {0};
    MPI_File file = open_new(amode);
    MPI_Datatype type;

    CHECK_EQ(MPI_Type_vector(RUNS, 1, 1 + GAP, MPI_INT, &type), MPI_SUCCESS);
    type = committed(type);
    CHECK_EQ(MPI_File_set_view(file, rank * 4, MPI_INT, type, "native", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    pwrites = 0;
    CHECK_EQ(MPI_File_write_at(file, 0, ints, RUNS, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    close_file(&file);
    return pwrites;
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("local_locks");
    CHECK_EQ(writes_with(0), 1);
    for (int client = 0; client < size; client++) {
        is_client = rank == client;
        CHECK_EQ(writes_with(0), RUNS);
    }
    is_client = rank > 0;
    CHECK_EQ(writes_with(0), RUNS);
    CHECK_EQ(writes_with(MPI_MODE_UNIQUE_OPEN), 1);
    is_client = 0;
    CHECK_EQ(writes_with(0), 1); /* and as before */
    remove_file();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
