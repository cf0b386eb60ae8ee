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

/* Whether this errno of fcntl means that there are no locks. */
static bool range_lock_is_lacking(int reason)
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

enum {
    OTHERS_MOST = 4096
};
static const off_t first = PRESENCE_AT, sieving = PRESENCE_AT + 1, others = PRESENCE_AT + 2;

static struct flock lock_on(short type, off_t at, off_t bytes)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = bytes};
}

/* Returns an errno; EAGAIN: another has it. */
static int set_byte(const struct file *file, int command, short type, off_t at)
{
    struct flock byte = lock_on(type, at, 1);

    while (fcntl(file->fd, command, &byte))
        if (errno != EINTR)
            return errno == EACCES ? EAGAIN : errno;
    return 0;
}

bool range_presence_is_seen(const struct file *file)
{
    static const unsigned long local[] = {TMPFS_MAGIC,       EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,
                                          BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC};

    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (file->system == local[i])
            return true;
    return false;
}

static int join_others(const struct file *file)
{
    int reason = EAGAIN;

    for (int i = 0; i < OTHERS_MOST && reason == EAGAIN; i++)
        reason = set_byte(file, F_OFD_SETLK, F_WRLCK, others + i);
    return reason;
}

/* Locks of another kind (l_pid is a process) are the program's own; they may be held for any time. */
static bool is_programs_lock(const struct file *file)
{
    struct flock byte = lock_on(F_WRLCK, sieving, 1);

    return fcntl(file->fd, F_OFD_GETLK, &byte) == 0 && byte.l_type != F_UNLCK && byte.l_pid != -1;
}

int range_presence_announce(struct file *file)
{
    int reason;

    if (file->amode & MPI_MODE_RDONLY || !range_presence_is_seen(file))
        return 0;
    reason = set_byte(file, F_OFD_SETLK, F_WRLCK, first);
    file->is_first = !reason;
    if (reason != EAGAIN)
        return range_lock_is_lacking(reason) ? 0 : reason;
    if (is_programs_lock(file))
        return 0;
    reason = join_others(file);
    if (!reason)
        reason = set_byte(file, F_OFD_SETLKW, F_WRLCK, sieving);
    if (!reason)
        reason = set_byte(file, F_OFD_SETLK, F_UNLCK, sieving);
    return reason;
}

bool range_presence_begin_sieve(const struct file *file)
{
    struct flock all = lock_on(F_WRLCK, others, OTHERS_MOST);

    if (!file->is_first || set_byte(file, F_OFD_SETLK, F_RDLCK, sieving))
        return false;
    if (fcntl(file->fd, F_OFD_GETLK, &all) == 0 && all.l_type == F_UNLCK)
        return true;
    range_presence_end_sieve(file);
    return false;
}

void range_presence_end_sieve(const struct file *file)
{
    set_byte(file, F_OFD_SETLK, F_UNLCK, sieving);
}
