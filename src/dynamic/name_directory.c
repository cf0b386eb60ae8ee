#include "dynamic/name_directory.h"

#include "base/clock.h"
#include "base/fail.h"
#include "base/lock.h"
#include "base/private.h"
#include "hint/hint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    ENTRY_SIZE = NAME_DIRECTORY_SCOPE_SIZE + NAME_DIRECTORY_SERVICE_SIZE + NAME_DIRECTORY_PORT_SIZE,
    FILE_NAME_SIZE = 24,
    LOCK_PATIENCE_MS = 5000, /* nobody holds the directory for longer than a few system calls */
    LOCK_PAUSE_NS = 1000000,
    OPEN_ATTEMPTS = 100 /* the directory may go between two steps, with its last name */
};

/* What is asked for. */
struct service_name {
    const char *scope, *service;
    char file[FILE_NAME_SIZE];
};

/* What this process has published: the descriptor holds the lock. */
struct published {
    struct published *next;
    int fd;
    char file[FILE_NAME_SIZE];
};

static struct lock lock = LOCK_INIT; /* guards the list; always taken */
static struct published *published;
static pid_t publisher; /* a child that was forked has published nothing */

/* One name, as read from its file. */
struct name_entry {
    bool is_alive;
    const char *scope, *service, *port; /* point into bytes */
    char bytes[ENTRY_SIZE];
};

static uint64_t name_directory_hash(uint64_t h, const char *text)
{
    do
        h = (h ^ (unsigned char)*text) * 0x100000001b3u; /* FNV-1a, with the NUL */
    while (*text++);
    return h;
}

/* The file itself tells scope and service, should two ever have the same hash. */
static struct service_name name_directory_name_of(const char *scope, const char *service)
{
    struct service_name name = {.scope = scope, .service = service};
    uint64_t h = name_directory_hash(name_directory_hash(0xcbf29ce484222325u, scope), service);

    snprintf(name.file, sizeof name.file, "%016llx", (unsigned long long)h);
    return name;
}

static const char *directory_path(char *own, size_t size)
{
    const char *set = hint_process.text[HINT_NAME_DIRECTORY];

    if (set)
        return set;
    snprintf(own, size, "/tmp/inkling-%lu", (unsigned long)geteuid());
    return own;
}

/* What another user could change is no place for names. */
static int check_directory(int fd, const char *path)
{
    struct stat info;

    if (fstat(fd, &info) < 0)
        return fail(MPI_ERR_OTHER, "the directory of names %s: %s", path, strerror(errno));
    if (info.st_uid != geteuid())
        return fail(MPI_ERR_ACCESS,
                    "the directory of names %s belongs to user %lu, not to you; set INKLING_NAME_DIRECTORY",
                    path, (unsigned long)info.st_uid);
    if (info.st_mode & (S_IWGRP | S_IWOTH))
        return fail(MPI_ERR_ACCESS,
                    "others may write to the directory of names %s; chmod 700 it, or set "
                    "INKLING_NAME_DIRECTORY",
                    path);
    return MPI_SUCCESS;
}

/* The directory; *fd is -1 when there is none and none is to be made. */
static int open_directory(bool make, int *fd)
{
    char own[64];
    const char *path = directory_path(own, sizeof own);
    int error, opened = -1;

    for (int i = 0; i < OPEN_ATTEMPTS && opened < 0; i++) {
        if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
            break;
        opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (opened < 0 && (errno != ENOENT || !make))
            break;
    }
    if (opened < 0 && errno == ENOENT && !make) {
        *fd = -1;
        return MPI_SUCCESS;
    }
    if (opened < 0)
        return fail(MPI_ERR_OTHER, "the directory of names %s: %s; set INKLING_NAME_DIRECTORY", path,
                    strerror(errno));
    error = check_directory(opened, path);
    if (error)
        close(opened);
    else
        *fd = opened;
    return error;
}

static bool is_gone(int directory)
{
    struct stat info;

    return fstat(directory, &info) < 0 || info.st_nlink == 0;
}

static int take_directory(int fd)
{
    uint64_t end = clock_ns() + LOCK_PATIENCE_MS * 1000000ull;
    struct timespec pause = {0, LOCK_PAUSE_NS};

    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail(MPI_ERR_OTHER, "cannot lock the directory of names: %s", strerror(errno));
        if (clock_ns() >= end)
            return fail(MPI_ERR_OTHER, "another process has held the directory of names for %d s",
                        LOCK_PATIENCE_MS / 1000);
        nanosleep(&pause, NULL);
    }
    return MPI_SUCCESS;
}

/* Opens the directory and takes its lock. *fd is -1 when there is none and none is to be made. */
static int enter_directory(bool make, int *fd)
{
    for (int i = 0; i < OPEN_ATTEMPTS; i++) {
        int error = open_directory(make, fd);

        if (error || *fd < 0)
            return error;
        error = take_directory(*fd);
        if (!error && !is_gone(*fd))
            return MPI_SUCCESS;
        close(*fd);
        if (error)
            return error;
    }
    return fail(MPI_ERR_OTHER, "the directory of names comes and goes");
}

/* Gives the lock back. Whoever waits for it sees that the directory is gone, if it is. */
static void leave_directory(int fd)
{
    char own[64];
    const char *set = hint_process.text[HINT_NAME_DIRECTORY];

    if (!set)
        rmdir(directory_path(own, sizeof own)); /* fails while there are names */
    close(fd);
}

static bool is_locked(int fd)
{
    struct flock test = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_OFD_GETLK, &test) == 0 && test.l_type != F_UNLCK;
}

/* The text behind this one; `end`: there is none. */
static const char *next_text(const char *text, const char *end)
{
    return text < end ? text + strlen(text) + 1 : end;
}

/* False when there is no such file, or it holds something else than a name. */
static bool read_entry(int directory, const char *file, struct name_entry *e)
{
    int fd = openat(directory, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const char *end;
    ssize_t size;

    if (fd < 0)
        return false;
    e->is_alive = is_locked(fd);
    size = read(fd, e->bytes, sizeof e->bytes);
    close(fd);
    if (size <= 0 || e->bytes[size - 1] != 0)
        return false;
    end = e->bytes + size;
    e->scope = e->bytes;
    e->service = next_text(e->scope, end);
    e->port = next_text(e->service, end);
    return e->port < end && next_text(e->port, end) == end;
}

/* The entry of a name, if a living process has published it. */
static bool find_entry(int directory, const struct service_name *name, struct name_entry *e)
{
    return read_entry(directory, name->file, e) && e->is_alive && strcmp(e->scope, name->scope) == 0 &&
           strcmp(e->service, name->service) == 0;
}

static bool write_text(int fd, const char *text)
{
    size_t size = strlen(text) + 1;

    return write(fd, text, size) == (ssize_t)size;
}

/* A new file, complete and locked, under its final name; *fd keeps the lock. */
static int write_entry(int directory, const struct service_name *name, const char *port, int *fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char fresh[FILE_NAME_SIZE + 8];
    int made, error;

    snprintf(fresh, sizeof fresh, "%s.new", name->file);
    unlinkat(directory, fresh, 0);
    made = openat(directory, fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made >= 0 && fcntl(made, F_OFD_SETLK, &whole) == 0 && write_text(made, name->scope) &&
        write_text(made, name->service) && write_text(made, port) &&
        renameat(directory, fresh, directory, name->file) == 0) {
        private_add(made);
        *fd = made;
        return MPI_SUCCESS;
    }
    error = fail(MPI_ERR_OTHER, "cannot publish '%.64s': %s", name->service, strerror(errno));
    if (made >= 0)
        close(made);
    unlinkat(directory, fresh, 0);
    return error;
}

static int name_directory_check_lengths(const char *service, const char *port, int error)
{
    if (strlen(service) >= NAME_DIRECTORY_SERVICE_SIZE)
        return fail(error, "the name '%.32s...' has %zu characters; at most %d are possible", service,
                    strlen(service), NAME_DIRECTORY_SERVICE_SIZE - 1);
    if (port && strlen(port) >= NAME_DIRECTORY_PORT_SIZE)
        return fail(MPI_ERR_PORT, "the port '%.32s...' has %zu characters; at most %d are possible", port,
                    strlen(port), NAME_DIRECTORY_PORT_SIZE - 1);
    return MPI_SUCCESS;
}

static void remember(struct published *p)
{
    lock_always_take(&lock);
    if (publisher != getpid())
        published = NULL; /* our parent's */
    publisher = getpid();
    p->next = published;
    published = p;
    lock_always_release(&lock);
}

/* The descriptor under which this process has published the file; -1: it has not. */
static int forget(const char *file)
{
    int fd = -1;

    lock_always_take(&lock);
    for (struct published **p = &published; *p && publisher == getpid(); p = &(*p)->next) {
        struct published *found = *p;

        if (strcmp(found->file, file) != 0)
            continue;
        *p = found->next;
        fd = found->fd;
        free(found);
        break;
    }
    lock_always_release(&lock);
    return fd;
}

static int name_directory_publish_in(int directory, const struct service_name *name, const char *port,
                                     int *fd)
{
    struct name_entry e;

    if (find_entry(directory, name, &e))
        return fail(MPI_ERR_SERVICE, "the name '%.64s' is published already; unpublish it first",
                    name->service);
    return write_entry(directory, name, port, fd);
}

int name_directory_publish(const char *scope, const char *service, const char *port)
{
    struct service_name name = name_directory_name_of(scope, service);
    struct published *p;
    int directory, error = name_directory_check_lengths(service, port, MPI_ERR_SERVICE);

    if (error)
        return error;
    p = malloc(sizeof *p);
    if (!p)
        return fail(MPI_ERR_NO_MEM, "no memory to publish '%.64s'", service);
    memcpy(p->file, name.file, sizeof p->file);
    error = enter_directory(true, &directory);
    if (!error) {
        error = name_directory_publish_in(directory, &name, port, &p->fd);
        leave_directory(directory);
    }
    if (error)
        free(p);
    else
        remember(p);
    return error;
}

int name_directory_lookup(const char *scope, const char *service, char *port, size_t size)
{
    struct service_name name = name_directory_name_of(scope, service);
    struct name_entry e;
    int directory, error = name_directory_check_lengths(service, NULL, MPI_ERR_NAME);
    bool found;

    if (!error)
        error = open_directory(false, &directory);
    if (error)
        return error;
    found = directory >= 0 && find_entry(directory, &name, &e);
    if (directory >= 0)
        close(directory);
    if (!found)
        return fail(MPI_ERR_NAME, "no running process has published the name '%.64s'", service);
    if (strlen(e.port) >= size)
        return fail(MPI_ERR_NAME,
                    "the port published as '%.64s' has %zu characters, more than the %zu of one", service,
                    strlen(e.port), size - 1);
    memcpy(port, e.port, strlen(e.port) + 1);
    return MPI_SUCCESS;
}

static int unpublish(int directory, const struct service_name *name, const char *port)
{
    struct name_entry e;
    int fd;

    if (!find_entry(directory, name, &e))
        return fail(MPI_ERR_SERVICE, "the name '%.64s' is not published (any more)", name->service);
    if (strcmp(e.port, port) != 0)
        return fail(MPI_ERR_SERVICE, "the name '%.64s' is published for the port '%.64s', not for '%.64s'",
                    name->service, e.port, port);
    unlinkat(directory, name->file, 0);
    fd = forget(name->file);
    if (fd >= 0)
        private_close(fd);
    return MPI_SUCCESS;
}

int name_directory_unpublish(const char *scope, const char *service, const char *port)
{
    struct service_name name = name_directory_name_of(scope, service);
    int directory, error = name_directory_check_lengths(service, port, MPI_ERR_SERVICE);

    if (!error)
        error = enter_directory(false, &directory);
    if (error)
        return error;
    if (directory < 0)
        return fail(MPI_ERR_SERVICE, "the name '%.64s' is not published (any more)", service);
    error = unpublish(directory, &name, port);
    leave_directory(directory);
    return error;
}

/* Whether two descriptors show the same file. */
static bool is_same_file(int directory, const char *file, int fd)
{
    struct stat there, ours;

    return fstatat(directory, file, &there, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &ours) == 0 &&
           there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

void name_directory_close(void)
{
    int directory = -1;

    lock_always_take(&lock);
    if (published && publisher == getpid() && enter_directory(false, &directory) == MPI_SUCCESS &&
        directory >= 0) {
        for (struct published *p = published, *next; p; p = next) {
            next = p->next;
            if (is_same_file(directory, p->file, p->fd))
                unlinkat(directory, p->file, 0);
            private_close(p->fd);
            free(p);
        }
        leave_directory(directory);
    }
    published = NULL;
    lock_always_release(&lock);
}

/* Files of ours have names of 16 hexadecimal digits, perhaps with .new behind. Others are left alone. */
static bool name_directory_is_ours(const char *file)
{
    size_t digits = strspn(file, "0123456789abcdef");

    return digits == 16 && (!file[16] || strcmp(file + 16, ".new") == 0);
}

static bool is_stale(int directory, const char *file)
{
    int fd = openat(directory, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool stale = fd >= 0 && !is_locked(fd);

    if (fd >= 0)
        close(fd);
    return stale;
}

static void name_directory_sweep_in(int directory)
{
    int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again >= 0 ? fdopendir(again) : NULL;

    for (struct dirent *file; list && (file = readdir(list));)
        if (name_directory_is_ours(file->d_name) && is_stale(directory, file->d_name))
            unlinkat(directory, file->d_name, 0);
    if (list)
        closedir(list);
    else if (again >= 0)
        close(again);
}

void name_directory_sweep(void)
{
    int directory;

    if (enter_directory(false, &directory) || directory < 0)
        return;
    name_directory_sweep_in(directory);
    leave_directory(directory);
}
