/* ranks: 2 3 */
/* On NFS a host sees what others have stored when it takes a lock: MPI_File_sync and what changes the size end with one,
 * and so do collective writes in which a rank writes for others, which it also stores at once. Elsewhere no lock is
 * taken. */
#include "files.h"

#include <linux/magic.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

static int is_nfs, locks, unlocks, syncs, locks_at_sync;

/* Before the system's, for the library too. */
#pragma GCC visibility push(default)

int fstatfs(int fd, struct statfs *status)
{
    int code = (int)syscall(SYS_fstatfs, fd, status);

    if (is_nfs)
        status->f_type = NFS_SUPER_MAGIC;
    return code;
}

int fcntl(int fd, int command, ...)
{
    va_list more;
    void *argument;

    va_start(more, command);
    argument = va_arg(more, void *);
    va_end(more);
    if (command == F_OFD_SETLKW && ((struct flock *)argument)->l_type == F_UNLCK)
        unlocks++;
    else if (command == F_OFD_SETLKW)
        locks++;
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

int fsync(int fd)
{
    locks_at_sync = locks;
    syncs++;
    return (int)syscall(SYS_fsync, fd);
}

#pragma GCC visibility pop

static void forget(void)
{
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    locks = unlocks = syncs = 0;
    locks_at_sync = -1;
}

/* So many locks were taken and given back, and stores made before. */
static void expect(int taken, int stored)
{
    CHECK_EQ(locks, taken);
    CHECK_EQ(unlocks, taken);
    CHECK_EQ(syncs, stored);
    if (stored)
        CHECK_EQ(locks_at_sync, 0);
}

static MPI_File open_file(int amode, const char *buffered)
{
    MPI_File file;
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "romio_cb_write", buffered), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "cb_nodes", "1"), MPI_SUCCESS);
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, path, amode, info, &file), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return file;
}

static void accesses(int taken)
{
    MPI_File file = open_file(MPI_MODE_RDWR | MPI_MODE_CREATE, "disable");
    int value = rank, got;

    forget();
    CHECK_EQ(MPI_File_write_at_all(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_read_at(file, 4 * rank, &got, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect(0, 0);
    CHECK_EQ(MPI_File_sync(file), MPI_SUCCESS);
    expect(taken, 1);
    forget();
    CHECK_EQ(MPI_File_sync(file), MPI_SUCCESS); /* nothing to store, but perhaps to see */
    expect(taken, 0);
    forget();
    CHECK_EQ(MPI_File_set_size(file, 4 * size + 1), MPI_SUCCESS);
    expect(taken, 0);
    forget();
    CHECK_EQ(MPI_File_preallocate(file, 4 * size), MPI_SUCCESS);
    expect(taken, 0);
    close_file(&file);
}

static void buffered_writes(int taken)
{
    MPI_File file = open_file(MPI_MODE_RDWR | MPI_MODE_CREATE, "enable");
    int value = 10 * rank, got;

    forget();
    CHECK_EQ(MPI_File_write_at_all(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect(taken, taken && rank == 0); /* which writes for all */
    CHECK_EQ(MPI_File_read_at(file, 4 * rank, &got, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, value);
    close_file(&file);
}

static void read_only(int taken)
{
    MPI_File file = open_file(MPI_MODE_RDONLY, "automatic");

    forget();
    CHECK_EQ(MPI_File_sync(file), MPI_SUCCESS);
    expect(taken, 0);
    close_file(&file);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("caches");
    for (is_nfs = 0; is_nfs < 2; is_nfs++) {
        accesses(is_nfs);
        buffered_writes(is_nfs);
        read_only(is_nfs);
    }
    remove_file();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
