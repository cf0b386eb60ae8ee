/* failing_calls: a program with this header can make the n-th system call of the library fail, as a full disk, a limit or a
 * container does, and sees what is left open:
 *
 *     until_refused = n;
 *     code = REFUSE(MPI_X(...));   until_refused is 0 then, or the calls so far had fewer
 *     refused_call                 the name of what failed
 *     never_refused = "name"       this one does not fail
 *
 * Calls that cannot fail on Linux, or whose failure leaves what they were to release (munmap, close), do not count.
 */
#ifndef TESTS_MPI_FAILING_CALLS_H
#define TESTS_MPI_FAILING_CALLS_H

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define SEEN_BY_LIBRARY __attribute__((visibility("default")))

static atomic_long until_refused; /* system calls; 0: none fails */
static atomic_bool may_refuse;    /* the program is in REFUSE */
static const char *refused_call, *never_refused;

static bool is_refused(const char *name)
{
    if (!atomic_load(&may_refuse) || (never_refused && strcmp(name, never_refused) == 0) ||
        atomic_load(&until_refused) <= 0 || atomic_fetch_sub(&until_refused, 1) != 1)
        return false;
    refused_call = name;
    return true;
}

#define REFUSE(call) (atomic_store(&may_refuse, true), not_refused_any_more(call))

static int not_refused_any_more(int code)
{
    atomic_store(&may_refuse, false);
    return code;
}

/* The library's `name` fails with `error`, or is the C library's. */
#define MAY_FAIL(type, name, parameters, arguments, error, answer)                                           \
    SEEN_BY_LIBRARY type name parameters                                                                     \
    {                                                                                                        \
        static type(*real) parameters;                                                                       \
                                                                                                             \
        if (!real)                                                                                           \
            real = (type(*) parameters)dlsym(RTLD_NEXT, #name);                                              \
        if (!is_refused(#name))                                                                              \
            return real arguments;                                                                           \
        errno = (error);                                                                                     \
        return answer;                                                                                       \
    }

MAY_FAIL(void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t from),
         (at, n, prot, flags, fd, from), ENOMEM, MAP_FAILED)
MAY_FAIL(int, memfd_create, (const char *name, unsigned flags), (name, flags), EMFILE, -1)
MAY_FAIL(int, ftruncate, (int fd, off_t length), (fd, length), ENOSPC, -1)
MAY_FAIL(int, fallocate, (int fd, int mode, off_t from, off_t length), (fd, mode, from, length), ENOSPC, -1)
MAY_FAIL(int, posix_fallocate, (int fd, off_t from, off_t length), (fd, from, length), ENOSPC, ENOSPC)
MAY_FAIL(ssize_t, pread, (int fd, void *to, size_t n, off_t from), (fd, to, n, from), EIO, -1)
MAY_FAIL(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t to), (fd, from, n, to), ENOSPC, -1)
MAY_FAIL(int, fsync, (int fd), (fd), EIO, -1)
MAY_FAIL(int, fstat, (int fd, struct stat *s), (fd, s), EIO, -1)
MAY_FAIL(int, stat, (const char *path, struct stat *s), (path, s), EACCES, -1)
MAY_FAIL(int, unlink, (const char *path), (path), EACCES, -1)
MAY_FAIL(int, flock, (int fd, int how), (fd, how), ENOLCK, -1)
MAY_FAIL(DIR *, opendir, (const char *path), (path), EMFILE, NULL)
MAY_FAIL(int, socket, (int domain, int type, int protocol), (domain, type, protocol), EMFILE, -1)
MAY_FAIL(int, socketpair, (int domain, int type, int protocol, int fds[2]), (domain, type, protocol, fds),
         EMFILE, -1)
MAY_FAIL(int, pipe2, (int fds[2], int flags), (fds, flags), EMFILE, -1)
MAY_FAIL(int, bind, (int fd, const struct sockaddr *to, socklen_t n), (fd, to, n), EADDRINUSE, -1)
MAY_FAIL(int, listen, (int fd, int most), (fd, most), EADDRINUSE, -1)
MAY_FAIL(int, connect, (int fd, const struct sockaddr *to, socklen_t n), (fd, to, n), ETIMEDOUT, -1)
MAY_FAIL(int, accept4, (int fd, struct sockaddr *from, socklen_t *n, int flags), (fd, from, n, flags), EMFILE,
         -1)
MAY_FAIL(int, getsockname, (int fd, struct sockaddr *at, socklen_t *n), (fd, at, n), ENOBUFS, -1)
MAY_FAIL(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t n),
         (fd, level, name, value, n), ENOPROTOOPT, -1)
MAY_FAIL(ssize_t, send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags), EPIPE, -1)
MAY_FAIL(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags), EPIPE, -1)
MAY_FAIL(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), EIO, -1)
MAY_FAIL(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), EIO, -1)
MAY_FAIL(int, epoll_create1, (int flags), (flags), EMFILE, -1)
MAY_FAIL(int, epoll_ctl, (int fd, int what, int other, struct epoll_event *event), (fd, what, other, event),
         ENOSPC, -1)
MAY_FAIL(int, eventfd, (unsigned begin, int flags), (begin, flags), EMFILE, -1)
MAY_FAIL(int, pthread_create, (pthread_t * made, const pthread_attr_t *how, void *(*run)(void *), void *of),
         (made, how, run, of), EAGAIN, EAGAIN)
MAY_FAIL(int, posix_spawn,
         (pid_t * made, const char *path, const posix_spawn_file_actions_t *actions,
          const posix_spawnattr_t *how, char *const arguments[], char *const environment[]),
         (made, path, actions, how, arguments, environment), EAGAIN, EAGAIN)
MAY_FAIL(ssize_t, process_vm_readv,
         (pid_t pid, const struct iovec *here, unsigned long m, const struct iovec *there, unsigned long n,
          unsigned long flags),
         (pid, here, m, there, n, flags), EPERM, -1)
MAY_FAIL(ssize_t, process_vm_writev,
         (pid_t pid, const struct iovec *here, unsigned long m, const struct iovec *there, unsigned long n,
          unsigned long flags),
         (pid, here, m, there, n, flags), EPERM, -1)

/* What others are asked for again and again: only a call that brings something counts, which is lost then. */
SEEN_BY_LIBRARY ssize_t recv(int fd, void *to, size_t n, int flags)
{
    ssize_t bytes = recvfrom(fd, to, n, flags, NULL, NULL);

    if (bytes < 0 || !is_refused("recv"))
        return bytes;
    errno = ECONNRESET;
    return -1;
}

static void close_received(struct msghdr *m)
{
    int fd;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
        for (size_t at = 0; c->cmsg_type == SCM_RIGHTS && CMSG_LEN(at + sizeof fd) <= c->cmsg_len;
             at += sizeof fd) {
            memcpy(&fd, CMSG_DATA(c) + at, sizeof fd);
            close(fd);
        }
}

SEEN_BY_LIBRARY ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    static ssize_t (*real)(int, struct msghdr *, int);

    if (!real)
        real = (ssize_t(*)(int, struct msghdr *, int))dlsym(RTLD_NEXT, "recvmsg");
    ssize_t bytes = real(fd, m, flags);

    if (bytes < 0 || !is_refused("recvmsg"))
        return bytes;
    close_received(m);
    errno = ECONNRESET;
    return -1;
}

static int open_unless_refused(const char *name, int folder, const char *path, int flags, va_list list)
{
    static int (*real)(int, const char *, int, ...);

    if (!real)
        real = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
    if (!is_refused(name))
        return real(folder, path, flags, flags & (O_CREAT | O_TMPFILE) ? va_arg(list, unsigned) : 0);
    errno = EMFILE;
    return -1;
}

SEEN_BY_LIBRARY int openat(int folder, const char *path, int flags, ...)
{
    va_list list;

    va_start(list, flags);
    int fd = open_unless_refused("openat", folder, path, flags, list);
    va_end(list);
    return fd;
}

SEEN_BY_LIBRARY int open(const char *path, int flags, ...)
{
    va_list list;

    va_start(list, flags);
    int fd = open_unless_refused("open", AT_FDCWD, path, flags, list);
    va_end(list);
    return fd;
}

#endif
