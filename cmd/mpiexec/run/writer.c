#include "cmd/mpiexec/run/output.h"

#include "cmd/mpiexec/command_line/words.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum writer_kind {
    WRITER_FREE,   /* its descriptor never blocks: a file, or one of this process's own with O_NONBLOCK */
    WRITER_SOCKET, /* each call says that it may not block */
    WRITER_SHARED  /* written in small pieces, when poll says that there is room */
};

static struct writer {
    enum writer_kind kind;
    int fd;
    bool is_pipe;
    bool is_closed; /* nobody reads it any more, or it has failed */
    char *waiting;
    size_t done, used, room; /* what waits is from done to used */
} writers[2] = {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}};

static bool has_failed;
static bool is_one;    /* both lead to one file, pipe or terminal: the first serves both */
static bool is_shared; /* another mpiexec writes to them, too */

static bool lead_to_one(void)
{
    struct stat out, err;

    return fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 && out.st_dev == err.st_dev &&
           out.st_ino == err.st_ino;
}

static void writer_open(struct writer *t);

static struct writer *writer_of(int target)
{
    static bool is_open;

    if (!is_open) {
        is_open = true;
        is_one = lead_to_one();
        for (int i = 0; i < 2; i++)
            writer_open(&writers[i]);
    }
    return &writers[is_one ? 0 : target - 1];
}

static void writer_open(struct writer *t)
{
    char path[32];
    struct stat info;
    int own = -1;

    t->kind = WRITER_FREE;
    if (fstat(t->fd, &info) < 0 || S_ISREG(info.st_mode))
        return;
    t->is_pipe = S_ISFIFO(info.st_mode);
    if (S_ISSOCK(info.st_mode)) {
        t->kind = WRITER_SOCKET;
        return;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", t->fd);
    own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (own >= 0)
        t->fd = own;
    else
        t->kind = WRITER_SHARED;
}

/* A pipe takes so much as a whole or not at all: complete lines, if there is one. */
static size_t size_of_atom(const char *bytes, size_t size)
{
    const char *newline = size > PIPE_BUF ? memrchr(bytes, '\n', PIPE_BUF) : NULL;

    return newline ? (size_t)(newline - bytes) + 1 : size < PIPE_BUF ? size : PIPE_BUF;
}

static ssize_t write_some(const struct writer *t, const char *bytes, size_t size)
{
    struct pollfd ready = {.fd = t->fd, .events = POLLOUT};

    if (is_shared && t->is_pipe)
        size = size_of_atom(bytes, size);
    if (t->kind == WRITER_SOCKET)
        return send(t->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (t->kind == WRITER_FREE)
        return write(t->fd, bytes, size);
    if (poll(&ready, 1, 0) == 1)
        return write(t->fd, bytes, size < PIPE_BUF ? size : PIPE_BUF);
    errno = EAGAIN;
    return -1;
}

static void writer_fail(struct writer *t, int code)
{
    char line[128];
    int length = snprintf(line, sizeof line, "mpiexec: the standard %s cannot be written: %s\n",
                          t == writers ? "output" : "error", strerror(code));

    t->is_closed = true;
    t->done = t->used = 0;
    if (code == EPIPE) /* the reader has seen enough */
        return;
    has_failed = true;
    if (t == writers)
        writer_write(STDERR_FILENO, line, (size_t)length);
}

/* Returns how much was written. */
static size_t write_now(struct writer *t, const char *bytes, size_t size)
{
    size_t done = 0;

    while (done < size && !t->is_closed) {
        ssize_t n = write_some(t, bytes + done, size - done);

        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0 && errno != EINTR)
            writer_fail(t, errno);
        done += n > 0 ? (size_t)n : 0;
    }
    return done;
}

static void writer_keep(struct writer *t, const char *bytes, size_t size)
{
    size_t waits = t->used - t->done;

    if (t->used + size > t->room) {
        char *old = t->waiting;

        if (waits + size > t->room / 2) {
            t->room = 2 * (waits + size);
            t->waiting = words_allocate(t->room);
        }
        if (waits)
            memmove(t->waiting, old + t->done, waits);
        if (t->waiting != old)
            free(old);
        t->done = 0;
        t->used = waits;
    }
    memcpy(t->waiting + t->used, bytes, size);
    t->used += size;
}

bool writer_write(int target, const char *bytes, size_t size)
{
    struct writer *t = writer_of(target);
    size_t done;

    done = t->used ? 0 : write_now(t, bytes, size);
    if (!t->is_closed && done < size)
        writer_keep(t, bytes + done, size - done);
    return !t->is_closed;
}

bool writer_flush(void)
{
    bool any = false;

    for (int target = 1; target <= 2; target++) {
        struct writer *t = writer_of(target);
        size_t done = t->used ? write_now(t, t->waiting + t->done, t->used - t->done) : 0;

        any |= done > 0;
        t->done += done;
        if (t->done >= t->used)
            t->done = t->used = 0;
    }
    return any;
}

int writer_waits(int target)
{
    const struct writer *t = writer_of(target);

    return t->used ? t->fd : -1;
}

void writer_share(void)
{
    is_shared = true;
}

bool writer_has_failed(void)
{
    return has_failed;
}
