#include "memory/descriptor.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool descriptor_export(int fd, struct descriptor *d)
{
    struct stat file;

    if (fstat(fd, &file) < 0)
        return false;
    *d = (struct descriptor){(uint64_t)getpid(), (uint64_t)fd, file.st_dev, file.st_ino};
    return true;
}

/* Of any file; the system must let this process trace the other. */
static int descriptor_take_over(const struct descriptor *d)
{
    long process = syscall(SYS_pidfd_open, (pid_t)d->pid, 0);
    long fd = -1;

    if (process < 0)
        return -1;
    fd = syscall(SYS_pidfd_getfd, (int)process, (int)d->fd, 0);
    close((int)process);
    return (int)fd;
}

/* Of what lies in a file system, as memfds do; the other process must be of the same user. */
static int open_again(const struct descriptor *d)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)d->pid, (int)d->fd);
    return open(path, O_RDWR | O_CLOEXEC);
}

static bool is_meant(int fd, const struct descriptor *d)
{
    struct stat file;

    return fstat(fd, &file) == 0 && file.st_dev == d->device && file.st_ino == d->inode;
}

int descriptor_import(const struct descriptor *d)
{
    int fd = descriptor_take_over(d);

    if (fd < 0)
        fd = open_again(d);
    if (fd >= 0 && !is_meant(fd, d)) {
        close(fd);
        fd = -1;
    }
    return fd;
}
