#include "file/independent.h"

#include "plain/fail.h"

#include <errno.h>
#include <unistd.h>

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
    return file->is_stream ? stream_write(file, from, bytes) : pwrite(file->fd, from, bytes, at);
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
