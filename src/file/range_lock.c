#include "file/independent.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <unistd.h>

static int set_lock(const struct file *file, short type, MPI_Offset at, MPI_Offset bytes)
{
    MPI_Offset begin = at < PRESENCE_AT ? at : PRESENCE_AT - 1, most = PRESENCE_AT - begin;
    struct flock range = {.l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = begin,
                          .l_len = bytes && bytes < most ? bytes : most};

    while (fcntl(file->fd, F_OFD_SETLKW, &range))
        if (errno != EINTR)
            return errno;
    return 0;
}

bool range_lock_is_lacking(int reason)
{
    return reason == EINVAL || reason == ENOLCK || reason == EOPNOTSUPP || reason == ENOSYS;
}

int range_lock_take(struct file *file, MPI_Offset at, MPI_Offset bytes, bool is_shared)
{
    int reason;

    lock_always_take(&file->range_mutex);
    reason = set_lock(file, is_shared && file->is_readable ? F_RDLCK : F_WRLCK, at, bytes);
    if (!reason)
        return MPI_SUCCESS;
    lock_always_release(&file->range_mutex);
    if (range_lock_is_lacking(reason))
        return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                    "the file system of \"%s\" has no locks on byte ranges (%s)", file->name,
                    "fcntl F_OFD_SETLKW");
    return file_system_error("cannot lock a part of", file->name, reason);
}

void range_lock_release(struct file *file, MPI_Offset at, MPI_Offset bytes)
{
    set_lock(file, F_UNLCK, at, bytes);
    lock_always_release(&file->range_mutex);
}

bool range_lock_hides_writes(const struct file *file)
{
    return file->system == NFS_SUPER_MAGIC;
}

void range_lock_revalidate(struct file *file)
{
    if (range_lock_hides_writes(file) &&
        !range_lock_take(file, 0, 1, true)) /* where it has no locks, so be it */
        range_lock_release(file, 0, 1);
}
