#include "plain/name_directory.h"

#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
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
    OPEN_ATTEMPTS = 100 /* the directory may be removed between two steps, with its last name */
};

static const char ending[] = "XXXXXX";

const char *name_place_given;

/* A walk through these places; begins with all zeros. */
struct name_place {
    const char *path;
    bool is_given; /* it is name_place_given */
    unsigned steps;
    int error; /* not all could be looked at */
    DIR *list;
    char own[64];
};

static void name_place_end(struct name_place *p)
{
    if (p->list)
        closedir(p->list);
    p->list = NULL;
}

/* The next whose name is that of the first, a hyphen and six characters. */
static bool next_in_tmp(struct name_place *p)
{
    int length = snprintf(p->own, sizeof p->own, "/tmp/inkling-%lu-", (unsigned long)geteuid());
    const char *begin = p->own + strlen("/tmp/");

    if (!p->list)
        p->list = opendir("/tmp");
    if (!p->list && errno != ENOENT && errno != EACCES)
        p->error = fail(MPI_ERR_OTHER, "cannot look for directories of names in /tmp: %s", strerror(errno));
    for (struct dirent *file; p->list && (file = readdir(p->list));)
        if (strlen(file->d_name) == strlen(begin) + strlen(ending) &&
            strncmp(file->d_name, begin, strlen(begin)) == 0) {
            memcpy(p->own + length, file->d_name + strlen(begin), sizeof ending);
            return true;
        }
    name_place_end(p);
    return false;
}

/* False: there are no more. */
static bool name_place_next(struct name_place *p)
{
    unsigned long user = geteuid();
    unsigned step = p->steps++;

    p->path = name_place_given;
    p->is_given = p->path != NULL;
    if (p->is_given)
        return step == 0;
    p->path = p->own;
    if (step > 1)
        return next_in_tmp(p);
    if (step == 0)
        snprintf(p->own, sizeof p->own, "/tmp/inkling-%lu", user);
    else
        snprintf(p->own, sizeof p->own, "/run/user/%lu/inkling", user);
    return true;
}

/* Makes a new one behind the last. */
static int name_place_make(struct name_place *p)
{
    snprintf(p->own, sizeof p->own, "/tmp/inkling-%lu-%s", (unsigned long)geteuid(), ending);
    if (!mkdtemp(p->own))
        return fail(MPI_ERR_OTHER, "cannot make a directory of names in /tmp: %s; set INKLING_NAME_DIRECTORY",
                    strerror(errno));
    return MPI_SUCCESS;
}

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

/* Whether others have something of this name in /tmp. */
static bool is_not_ours(int why)
{
    return !name_place_given && (why == EACCES || why == ENOTDIR || why == ELOOP);
}

/* Opens the directory. *fd is -1 if it does not exist and `make` is false. MPI_ERR_ACCESS: it is others', or they could
 * change it. */
static int name_place_open(const char *path, bool make, int *fd)
{
    int error, opened = -1;

    *fd = -1;
    for (int i = 0; i < OPEN_ATTEMPTS && opened < 0; i++) {
        if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
            break;
        opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (opened < 0 && (errno != ENOENT || !make))
            break;
    }
    if (opened < 0 && errno == ENOENT && !make)
        return MPI_SUCCESS;
    if (opened < 0)
        return fail(is_not_ours(errno) ? MPI_ERR_ACCESS : MPI_ERR_OTHER,
                    "the directory of names %s: %s; set INKLING_NAME_DIRECTORY", path, strerror(errno));
    error = check_directory(opened, path);
    if (error)
        close(opened);
    else
        *fd = opened;
    return error;
}

enum {
    ENTRY_SIZE = NAME_DIRECTORY_SCOPE_SIZE + NAME_DIRECTORY_SERVICE_SIZE + NAME_DIRECTORY_PORT_SIZE,
    FILE_NAME_SIZE = 24,
    LOCK_PATIENCE_MS = 5000, /* no process locks the directory for longer than a few system calls */
    LOCK_PAUSE_NS = 1000000,
    ENTER_ATTEMPTS = 100 /* the directory may be removed between two steps, with its last name */
};

/* A name to look for. */
struct service_name {
    const char *scope, *service;
    char file[FILE_NAME_SIZE];
};

/* A name that this process has published; the descriptor holds the lock. */
struct published {
    struct published *next;
    int fd;
    char file[FILE_NAME_SIZE];
    char directory[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list */
static struct published *published;
static pid_t publisher; /* a forked child has published nothing */

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

/* The file holds scope and service too, in case two names have the same hash. */
static struct service_name name_directory_name_of(const char *scope, const char *service)
{
    struct service_name name = {.scope = scope, .service = service};
    uint64_t h = name_directory_hash(name_directory_hash(0xcbf29ce484222325u, scope), service);

    snprintf(name.file, sizeof name.file, "%016llx", (unsigned long long)h);
    return name;
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

/* Opens the directory and locks it. *fd is -1 if it does not exist and `make` is false. */
static int enter_directory(const char *path, bool make, int *fd)
{
    for (int i = 0; i < ENTER_ATTEMPTS; i++) {
        int error = name_place_open(path, make, fd);

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

/* Enters the first that serves, or a new one. */
static int enter_some_directory(struct name_place *place, int *fd)
{
    int error;

    while (name_place_next(place)) {
        error = enter_directory(place->path, true, fd);
        if (!error || place->is_given)
            return error;
    }
    error = name_place_make(place);
    return error ? error : enter_directory(place->path, true, fd);
}

/* Unlocks the directory. If it was removed, a process that waits for the lock notices. */
static void leave_directory(const char *path, int fd)
{
    if (!name_place_given)
        rmdir(path); /* fails while there are names */
    close(fd);
}

static bool is_locked(int fd)
{
    struct flock test = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_OFD_GETLK, &test) == 0 && test.l_type != F_UNLCK;
}

/* The next text; `end`: there is none. */
static const char *next_text(const char *text, const char *end)
{
    return text < end ? text + strlen(text) + 1 : end;
}

/* Whether the bytes are a name's, and where its parts begin. */
static bool parse_entry(struct name_entry *e, size_t size)
{
    const char *end = e->bytes + size;

    if (!size || end[-1] != 0)
        return false;
    e->scope = e->bytes;
    e->service = next_text(e->scope, end);
    e->port = next_text(e->service, end);
    return e->port < end && next_text(e->port, end) == end;
}

/* The entry of a name, if a living process has published it. An errno: that cannot be said. */
static int read_entry(int directory, const struct service_name *name, struct name_entry *e, bool *found)
{
    int fd = openat(directory, name->file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), why = 0;
    ssize_t size;

    *found = false;
    if (fd < 0)
        return errno == ENOENT || errno == ELOOP ? 0 : errno;
    e->is_alive = is_locked(fd);
    size = read(fd, e->bytes, sizeof e->bytes);
    if (size < 0 && errno != EISDIR)
        why = errno;
    else if (size >= 0)
        *found = parse_entry(e, (size_t)size) && e->is_alive && strcmp(e->scope, name->scope) == 0 &&
                 strcmp(e->service, name->service) == 0;
    close(fd);
    return why;
}

static int find_entry(int directory, const struct service_name *name, struct name_entry *e, bool *found)
{
    int why = read_entry(directory, name, e, found);

    return why ? fail(MPI_ERR_OTHER, "cannot read who has published '%.64s': %s", name->service,
                      strerror(why))
               : MPI_SUCCESS;
}

/* Finds the place where a living process has published the name. */
static int find_place(struct name_place *place, const struct service_name *name, struct name_entry *e,
                      bool *found)
{
    int error = MPI_SUCCESS;

    *found = false;
    while (!*found && !error && name_place_next(place)) {
        int fd;

        error = name_place_open(place->path, false, &fd);
        if (error == MPI_ERR_ACCESS && !place->is_given)
            error = MPI_SUCCESS;
        if (fd >= 0) {
            error = find_entry(fd, name, e, found);
            close(fd);
        }
    }
    name_place_end(place);
    return error || *found ? error : place->error;
}

static bool write_text(int fd, const char *text)
{
    size_t size = strlen(text) + 1;

    return write(fd, text, size) == (ssize_t)size;
}

/* Makes a new file, complete and locked, under its final name; *fd holds the lock. */
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
    pthread_mutex_lock(&lock);
    if (publisher != getpid())
        published = NULL; /* the parent process's */
    publisher = getpid();
    p->next = published;
    published = p;
    pthread_mutex_unlock(&lock);
}

/* The descriptor of the file that this process has published; -1: it has not. */
static int forget(const char *file)
{
    int fd = -1;

    pthread_mutex_lock(&lock);
    for (struct published **p = &published; *p && publisher == getpid(); p = &(*p)->next) {
        struct published *found = *p;

        if (strcmp(found->file, file) != 0)
            continue;
        *p = found->next;
        fd = found->fd;
        free(found);
        break;
    }
    pthread_mutex_unlock(&lock);
    return fd;
}

static int name_directory_refuse_second(const struct service_name *name)
{
    return fail(MPI_ERR_SERVICE, "the name '%.64s' is published already; unpublish it first", name->service);
}

/* Publishes in a directory that is locked. */
static int name_directory_publish_in(int directory, const char *path, const struct service_name *name,
                                     const char *port)
{
    struct name_entry e;
    struct published *p;
    bool found;
    int error = find_entry(directory, name, &e, &found);

    if (error || found)
        return error ? error : name_directory_refuse_second(name);
    p = malloc(sizeof *p + strlen(path) + 1);
    if (!p)
        return fail(MPI_ERR_NO_MEM, "no memory to publish '%.64s'", name->service);
    memcpy(p->file, name->file, sizeof p->file);
    memcpy(p->directory, path, strlen(path) + 1);
    error = write_entry(directory, name, port, &p->fd);
    if (error)
        free(p);
    else
        remember(p);
    return error;
}

int name_directory_publish(const char *scope, const char *service, const char *port)
{
    struct service_name name = name_directory_name_of(scope, service);
    struct name_place other = {0}, place = {0};
    struct name_entry e;
    int directory, error = name_directory_check_lengths(service, port, MPI_ERR_SERVICE);
    bool found;

    if (!error)
        error = find_place(&other, &name, &e, &found);
    if (!error && found)
        error = name_directory_refuse_second(&name);
    if (error)
        return error;
    error = enter_some_directory(&place, &directory);
    if (!error) {
        error = name_directory_publish_in(directory, place.path, &name, port);
        leave_directory(place.path, directory);
    }
    name_place_end(&place);
    return error;
}

int name_directory_lookup(const char *scope, const char *service, char *port, size_t size)
{
    struct service_name name = name_directory_name_of(scope, service);
    struct name_place place = {0};
    struct name_entry e;
    int error = name_directory_check_lengths(service, NULL, MPI_ERR_NAME);
    bool found;

    if (!error)
        error = find_place(&place, &name, &e, &found);
    if (error)
        return error;
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
    bool found;
    int fd, error = find_entry(directory, name, &e, &found);

    if (error)
        return error;
    if (!found)
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
    struct name_place place = {0};
    struct name_entry e;
    int directory = -1, error = name_directory_check_lengths(service, port, MPI_ERR_SERVICE);
    bool found;

    if (!error)
        error = find_place(&place, &name, &e, &found);
    if (!error && found)
        error = enter_directory(place.path, false, &directory);
    if (error)
        return error;
    if (directory < 0)
        return fail(MPI_ERR_SERVICE, "the name '%.64s' is not published (any more)", service);
    error = unpublish(directory, &name, port);
    leave_directory(place.path, directory);
    return error;
}

/* Whether a name and a descriptor are of the same file. */
static bool is_same_file(int directory, const char *file, int fd)
{
    struct stat there, ours;

    return fstatat(directory, file, &there, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &ours) == 0 &&
           there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

static void name_directory_withdraw(const struct published *p)
{
    int directory;

    if (enter_directory(p->directory, false, &directory) || directory < 0)
        return;
    if (is_same_file(directory, p->file, p->fd))
        unlinkat(directory, p->file, 0);
    leave_directory(p->directory, directory);
}

void name_directory_close(void)
{
    pthread_mutex_lock(&lock);
    for (struct published *p = published, *next; p && publisher == getpid(); p = next) {
        next = p->next;
        name_directory_withdraw(p);
        private_close(p->fd);
        free(p);
    }
    published = NULL;
    pthread_mutex_unlock(&lock);
}

/* Inkling's files have names of 16 hexadecimal digits, perhaps with .new behind. Others are left alone. */
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
    struct name_place place = {0};
    int directory;

    while (name_place_next(&place)) {
        if (enter_directory(place.path, false, &directory) || directory < 0)
            continue;
        name_directory_sweep_in(directory);
        leave_directory(place.path, directory);
    }
}
