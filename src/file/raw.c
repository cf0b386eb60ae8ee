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

int raw_stream_open_flags(const struct file *file)
{
    struct stat status;

    if (!file_is_sequential(file) || stat(file->name, &status) || !S_ISFIFO(status.st_mode))
        return 0;
    return O_NONBLOCK;
}

void raw_stream_opened(struct file *file)
{
    file->is_stream = file_is_sequential(file) && lseek(file->fd, 0, SEEK_CUR) < 0 && errno == ESPIPE;
    if (file->is_stream)
        fcntl(file->fd, F_SETFL, fcntl(file->fd, F_GETFL) & ~O_NONBLOCK);
}

int raw_stream_take(const struct file_access *access)
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

void raw_stream_release(struct file *file)
{
    flock(file->fd, LOCK_UN);
    lock_always_release(&file->range_mutex);
}

/* SIGPIPE goes to the thread that writes. It is blocked here, and taken away if this write has raised it. */
static ssize_t raw_stream_write(const struct file *file, const void *from, size_t bytes)
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

enum {
    CALL_MOST = 1 << 30 /* bytes of one system call; Linux moves a little less than 2^31 at most */
};

static size_t part_of(MPI_Offset bytes)
{
    return bytes < CALL_MOST ? (size_t)bytes : CALL_MOST;
}

static ssize_t read_at_most(const struct file *file, void *to, size_t bytes, MPI_Offset at)
{
    return file->is_stream ? read(file->fd, to, bytes) : pread(file->fd, to, bytes, at);
}

static ssize_t write_at_most(const struct file *file, const void *from, size_t bytes, MPI_Offset at)
{
    return file->is_stream ? raw_stream_write(file, from, bytes) : pwrite(file->fd, from, bytes, at);
}

int raw_read(const struct file *file, void *to, MPI_Offset at, MPI_Offset bytes, MPI_Offset *got)
{
    *got = 0;
    while (*got < bytes) {
        ssize_t n = read_at_most(file, (char *)to + *got, part_of(bytes - *got), at + *got);

        if (n == 0)
            break;
        if (n > 0)
            *got += n;
        else if (errno != EINTR)
            return file_system_error("cannot read", file->name, errno);
    }
    return MPI_SUCCESS;
}

int raw_write(struct file *file, const void *from, MPI_Offset at, MPI_Offset bytes)
{
    MPI_Offset done = 0;

    if (!atomic_load_explicit(&file->is_written, memory_order_relaxed))
        atomic_store_explicit(&file->is_written, true, memory_order_relaxed);
    while (done < bytes) {
        ssize_t n = write_at_most(file, (const char *)from + done, part_of(bytes - done), at + done);

        if (n > 0)
            done += n;
        else if (n == 0) /* a file system that would never get on */
            return fail(MPI_ERR_IO, "cannot write \"%.200s\": the system wrote 0 of %lld bytes", file->name,
                        (long long)(bytes - done));
        else if (errno != EINTR)
            return file_system_error("cannot write", file->name, errno);
    }
    return MPI_SUCCESS;
}
