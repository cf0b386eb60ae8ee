#include "file/independent.h"

#include "plain/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int stream_open_flags(const struct file *file)
{
    struct stat status;

    if (!file_is_sequential(file) || stat(file->name, &status) || !S_ISFIFO(status.st_mode))
        return 0;
    return O_NONBLOCK;
}

void stream_opened(struct file *file)
{
    file->is_stream = file_is_sequential(file) && lseek(file->fd, 0, SEEK_CUR) < 0 && errno == ESPIPE;
    if (file->is_stream)
        fcntl(file->fd, F_SETFL, fcntl(file->fd, F_GETFL) & ~O_NONBLOCK);
}

int stream_take(const struct file_access *access)
{
    struct file *file = access->file;
    int reason = 0;

    if (!file->view.is_dense)
        return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                    "\"%.200s\" has no offsets (it is a FIFO, or the like): a view of it must have no gaps",
                    file->name);
    lock_always_take(&file->range_mutex);
    while (flock(file->fd, LOCK_EX) && reason == 0)
        reason = errno == EINTR ? 0 : errno;
    if (!reason)
        return MPI_SUCCESS;
    lock_always_release(&file->range_mutex);
    return file_system_error("cannot lock", file->name, reason);
}

void stream_release(struct file *file)
{
    flock(file->fd, LOCK_UN);
    lock_always_release(&file->range_mutex);
}

/* SIGPIPE goes to the thread that writes. It is blocked here, and taken away if this write has raised it. */
ssize_t stream_write(const struct file *file, const void *from, size_t bytes)
{
    struct timespec now = {0, 0};
    sigset_t pipe, before, pending;
    ssize_t n;
    int reason;

    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    sigpending(&pending);
    n = write(file->fd, from, bytes);
    reason = errno;
    if (n < 0 && reason == EPIPE && !sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return n;
}
