/* faulty: loaded before the C library; makes calls on files fail, once.
 *
 * FILE_FAULT=KIND:N:WHAT: the N-th call of this kind (open, read, write, sync, size, lock) after faulty_arm() that is
 * about a file whose name has "tested_file" fails with the errno WHAT; 0 makes it move only a part of the bytes, and -1
 * makes a write say that it has moved none.
 * faulty_hits says whether it came to that. Without faulty_arm, N 0 makes all of them fail. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static _Atomic int left; /* calls until one fails; 0: none does */
static _Atomic int hits;
static char kind[16];
static int reason;
static bool is_always;

void faulty_arm(void);
int faulty_hits(void);

void faulty_arm(void)
{
    const char *fault = getenv("FILE_FAULT");
    int number;

    if (!fault || sscanf(fault, "%15[a-z]:%d:%d", kind, &number, &reason) != 3)
        return;
    left = number;
}

__attribute__((constructor)) static void begin(void)
{
    faulty_arm();
    is_always = *kind && left == 0;
    left = 0;
}

int faulty_hits(void)
{
    left = 0;
    return hits;
}

static bool is_ours(int fd)
{
    char link[64], name[512];
    ssize_t n;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, name, sizeof name - 1);
    if (n < 0)
        return false;
    name[n] = 0;
    return strstr(name, "tested_file") != NULL;
}

/* Whether this call is the one. */
static bool fails(const char *what, int fd)
{
    if ((left == 0 && !is_always) || strcmp(what, kind) != 0 || !is_ours(fd))
        return false;
    if (!is_always && --left > 0)
        return false;
    hits++;
    errno = reason;
    return true;
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* At least one byte: 0 would be the end of the file. */
static size_t part_of(size_t bytes)
{
    return bytes < 2 ? bytes : bytes / 2;
}

ssize_t pread64(int fd, void *to, size_t bytes, off64_t at)
{
    ssize_t (*real)(int, void *, size_t, off64_t) = next("pread64");

    if (!fails("read", fd))
        return real(fd, to, bytes, at);
    return reason ? -1 : real(fd, to, part_of(bytes), at);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
    return pread64(fd, to, bytes, at);
}

ssize_t pwrite64(int fd, const void *from, size_t bytes, off64_t at)
{
    ssize_t (*real)(int, const void *, size_t, off64_t) = next("pwrite64");

    if (!fails("write", fd))
        return real(fd, from, bytes, at);
    if (reason < 0)
        return 0;
    return reason ? -1 : real(fd, from, part_of(bytes), at);
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    return pwrite64(fd, from, bytes, at);
}

ssize_t preadv64(int fd, const struct iovec *to, int count, off64_t at)
{
    ssize_t (*real)(int, const struct iovec *, int, off64_t) = next("preadv64");

    if (!fails("read", fd))
        return real(fd, to, count, at);
    return reason ? -1 : pread64(fd, to->iov_base, part_of(to->iov_len), at);
}

ssize_t preadv(int fd, const struct iovec *to, int count, off_t at)
{
    return preadv64(fd, to, count, at);
}

ssize_t pwritev64(int fd, const struct iovec *from, int count, off64_t at)
{
    ssize_t (*real)(int, const struct iovec *, int, off64_t) = next("pwritev64");

    if (!fails("write", fd))
        return real(fd, from, count, at);
    if (reason < 0)
        return 0;
    return reason ? -1 : pwrite64(fd, from->iov_base, part_of(from->iov_len), at);
}

ssize_t pwritev(int fd, const struct iovec *from, int count, off_t at)
{
    return pwritev64(fd, from, count, at);
}

int fsync(int fd)
{
    int (*real)(int) = next("fsync");

    return fails("sync", fd) ? -1 : real(fd);
}

int fdatasync(int fd)
{
    int (*real)(int) = next("fdatasync");

    return fails("sync", fd) ? -1 : real(fd);
}

int ftruncate64(int fd, off64_t size)
{
    int (*real)(int, off64_t) = next("ftruncate64");

    return fails("size", fd) ? -1 : real(fd, size);
}

int ftruncate(int fd, off_t size)
{
    return ftruncate64(fd, size);
}

int posix_fallocate64(int fd, off64_t at, off64_t bytes)
{
    int (*real)(int, off64_t, off64_t) = next("posix_fallocate64");

    return fails("size", fd) ? reason : real(fd, at, bytes);
}

int posix_fallocate(int fd, off_t at, off_t bytes)
{
    return posix_fallocate64(fd, at, bytes);
}

int fallocate64(int fd, int mode, off64_t at, off64_t bytes)
{
    int (*real)(int, int, off64_t, off64_t) = next("fallocate64");

    return fails("size", fd) ? -1 : real(fd, mode, at, bytes);
}

int fallocate(int fd, int mode, off_t at, off_t bytes)
{
    return fallocate64(fd, mode, at, bytes);
}

int open64(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...) = next("open64");
    va_list more;
    mode_t mode;

    va_start(more, flags);
    mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (left && strcmp(kind, "open") == 0 && strstr(path, "tested_file") && --left == 0) {
        hits++;
        errno = reason;
        return -1;
    }
    return real(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    mode_t mode;

    va_start(more, flags);
    mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open64(path, flags, mode);
}

int fcntl64(int fd, int command, ...)
{
    int (*real)(int, int, ...) = next("fcntl64");
    bool is_lock = command == F_SETLKW || command == F_OFD_SETLKW || command == F_SETLK ||
                   command == F_OFD_SETLK || command == F_OFD_GETLK;
    va_list more;
    void *argument;

    va_start(more, command);
    argument = va_arg(more, void *);
    va_end(more);
    return is_lock && fails("lock", fd) ? -1 : real(fd, command, argument);
}

int fcntl(int fd, int command, ...)
{
    va_list more;
    void *argument;

    va_start(more, command);
    argument = va_arg(more, void *);
    va_end(more);
    return fcntl64(fd, command, argument);
}
