/* pretended_lustre: LD_PRELOAD for a program that writes files. Every file system is Lustre; what is asked of it is appended to the file
 * that PRETENDED_LUSTRE names, a line each:
 *
 *     layout MAGIC PATTERN UNIT COUNT FIRST O_FLAGS     LL_IOC_LOV_SETSTRIPE, and whether its file had been opened without a layout
 *     write OFFSET BYTES
 *
 * PRETENDED_REFUSAL is the errno of the ioctl. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    MAGIC = 0x0BD00BD0,
    FILES = 1024
};

static int flags_of[FILES]; /* of open, by descriptor */

static void record(const char *format, ...)
{
    char line[256];
    va_list list;
    int fd =
        (int)syscall(SYS_openat, AT_FDCWD, getenv("PRETENDED_LUSTRE"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ssize_t done;

    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    done = syscall(SYS_write, fd, line, strlen(line));
    (void)done;
    syscall(SYS_close, fd);
}

int statfs(const char *path, struct statfs *system)
{
    int (*real)(const char *, struct statfs *);
    int result;

    *(void **)&real = dlsym(RTLD_NEXT, "statfs");
    result = real(path, system);
    system->f_type = MAGIC;
    return result;
}

int fstatfs(int fd, struct statfs *system)
{
    int (*real)(int, struct statfs *);
    int result;

    *(void **)&real = dlsym(RTLD_NEXT, "fstatfs");
    result = real(fd, system);
    system->f_type = MAGIC;
    return result;
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list list;
    int fd;

    va_start(list, flags);
    if (flags & O_CREAT)
        mode = va_arg(list, mode_t);
    va_end(list);
    fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (fd >= 0 && fd < FILES)
        flags_of[fd] = flags;
    return fd;
}

int ioctl(int fd, unsigned long request, ...)
{
    struct {
        uint32_t magic, pattern;
        uint64_t object[2];
        uint32_t unit;
        uint16_t count, first;
    } __attribute__((packed)) layout;
    va_list list;
    void *argument;

    va_start(list, request);
    argument = va_arg(list, void *);
    va_end(list);
    if (request != _IOW('f', 154, long))
        return (int)syscall(SYS_ioctl, fd, request, argument);
    memcpy(&layout, argument, sizeof layout);
    record("layout %x %u %u %u %x %s\n", layout.magic, layout.pattern, layout.unit, layout.count,
           layout.first, (flags_of[fd] & (O_NOCTTY | FASYNC)) == (O_NOCTTY | FASYNC) ? "delayed" : "early");
    if (!getenv("PRETENDED_REFUSAL"))
        return 0;
    errno = atoi(getenv("PRETENDED_REFUSAL"));
    return -1;
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
    record("write %lld %zu\n", (long long)offset, bytes);
    return syscall(SYS_pwrite64, fd, from, bytes, offset);
}

ssize_t pwrite64(int fd, const void *from, size_t bytes, off_t offset)
{
    return pwrite(fd, from, bytes, offset);
}

int open64(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list list;

    va_start(list, flags);
    if (flags & O_CREAT)
        mode = va_arg(list, mode_t);
    va_end(list);
    return open(path, flags, mode);
}
