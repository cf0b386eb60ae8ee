#include "cmd/mpiexec/run/target.h"

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

enum target_kind {
    TARGET_NEW,
    TARGET_FREE,   /* its descriptor never blocks: a file, or one of this process's own with O_NONBLOCK */
    TARGET_SOCKET, /* each call says that it may not block */
    TARGET_SHARED  /* written in small pieces, when poll says that there is room */
};

static struct target {
    enum target_kind kind;
    int fd;
    bool is_closed; /* nobody reads it any more, or it has failed */
    char *waiting;
    size_t used, room;
} targets[2] = {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}};

static bool has_failed;

static void target_open(struct target *t)
{
    char path[32];
    struct stat info;
    int own = -1;

    t->kind = TARGET_FREE;
    if (fstat(t->fd, &info) < 0 || S_ISREG(info.st_mode))
        return;
    if (S_ISSOCK(info.st_mode)) {
        t->kind = TARGET_SOCKET;
        return;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", t->fd);
    own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (own >= 0)
        t->fd = own;
    else
        t->kind = TARGET_SHARED;
}

static ssize_t write_some(const struct target *t, const char *bytes, size_t size)
{
    struct pollfd ready = {.fd = t->fd, .events = POLLOUT};

    if (t->kind == TARGET_SOCKET)
        return send(t->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (t->kind == TARGET_FREE)
        return write(t->fd, bytes, size);
    if (poll(&ready, 1, 0) == 1)
        return write(t->fd, bytes, size < PIPE_BUF ? size : PIPE_BUF);
    errno = EAGAIN;
    return -1;
}

static void target_fail(struct target *t, int code)
{
    char line[128];
    int length = snprintf(line, sizeof line, "mpiexec: the standard %s cannot be written: %s\n",
                          t == targets ? "output" : "error", strerror(code));

    t->is_closed = true;
    t->used = 0;
    if (code == EPIPE) /* the reader has seen enough */
        return;
    has_failed = true;
    if (t == targets)
        target_write(STDERR_FILENO, line, (size_t)length);
}

/* Returns how much was written. */
static size_t write_now(struct target *t, const char *bytes, size_t size)
{
    size_t done = 0;

    while (done < size && !t->is_closed) {
        ssize_t n = write_some(t, bytes + done, size - done);

        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0 && errno != EINTR)
            target_fail(t, errno);
        done += n > 0 ? (size_t)n : 0;
    }
    return done;
}

static void target_keep(struct target *t, const char *bytes, size_t size)
{
    if (t->used + size > t->room) {
        char *bigger = words_allocate(2 * (t->used + size));

        if (t->used)
            memcpy(bigger, t->waiting, t->used);
        free(t->waiting);
        t->waiting = bigger;
        t->room = 2 * (t->used + size);
    }
    memcpy(t->waiting + t->used, bytes, size);
    t->used += size;
}

bool target_write(int target, const char *bytes, size_t size)
{
    struct target *t = &targets[target - 1];
    size_t done;

    if (t->kind == TARGET_NEW)
        target_open(t);
    done = t->used ? 0 : write_now(t, bytes, size);
    if (!t->is_closed && done < size)
        target_keep(t, bytes + done, size - done);
    return !t->is_closed;
}

void target_flush(void)
{
    for (int i = 0; i < 2; i++) {
        struct target *t = &targets[i];
        size_t done = t->used ? write_now(t, t->waiting, t->used) : 0;

        if (t->used && done)
            memmove(t->waiting, t->waiting + done, t->used - done);
        t->used -= t->used ? done : 0;
    }
}

int target_waits(int target)
{
    return targets[target - 1].used ? targets[target - 1].fd : -1;
}

bool target_has_failed(void)
{
    return has_failed;
}
