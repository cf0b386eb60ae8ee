#include "file/independent.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <unistd.h>

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

bool presence_is_seen(const struct file *file)
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

int presence_announce(struct file *file)
{
    int reason;

    if (file->amode & MPI_MODE_RDONLY || !presence_is_seen(file))
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

bool presence_begin_sieve(const struct file *file)
{
    struct flock all = lock_on(F_WRLCK, others, OTHERS_MOST);

    if (!file->is_first || set_byte(file, F_OFD_SETLK, F_RDLCK, sieving))
        return false;
    if (fcntl(file->fd, F_OFD_GETLK, &all) == 0 && all.l_type == F_UNLCK)
        return true;
    presence_end_sieve(file);
    return false;
}

void presence_end_sieve(const struct file *file)
{
    set_byte(file, F_OFD_SETLK, F_UNLCK, sieving);
}
