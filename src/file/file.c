#include "file/file.h"

#include "file/independent.h"
#include "plain/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct pool file_pool = POOL_INIT(OBJECT_FILE, struct file);
struct file file_null = {.object.kind = OBJECT_FILE, .errhandler = &errhandler_return};

static struct file *or_null(struct file *file)
{
    return file ? file : &file_null;
}

int file_set_errhandler(struct file *file, struct errhandler *errhandler)
{
    return errhandler_attach(&or_null(file)->errhandler, OBJECT_FILE, errhandler);
}

int file_get_errhandler(struct file *file, struct errhandler **errhandler)
{
    errhandler_hand_out(&or_null(file)->errhandler, errhandler);
    return MPI_SUCCESS;
}

int file_check_random(const struct file *file, const char *call)
{
    if (!file_is_sequential(file))
        return MPI_SUCCESS;
    return fail(MPI_ERR_UNSUPPORTED_OPERATION, "%s: \"%s\" was opened with MPI_MODE_SEQUENTIAL", call,
                file->name);
}

int file_error_class(int reason)
{
    static const struct {
        int reason, class;
    } classes[] = {
        {ENOENT, MPI_ERR_NO_SUCH_FILE},   {EACCES, MPI_ERR_ACCESS},      {EPERM, MPI_ERR_ACCESS},
        {EROFS, MPI_ERR_READ_ONLY},       {EEXIST, MPI_ERR_FILE_EXISTS}, {ENOSPC, MPI_ERR_NO_SPACE},
        {EDQUOT, MPI_ERR_QUOTA},          {EBUSY, MPI_ERR_FILE_IN_USE},  {ETXTBSY, MPI_ERR_FILE_IN_USE},
        {EISDIR, MPI_ERR_BAD_FILE},       {ENOTDIR, MPI_ERR_BAD_FILE},   {ELOOP, MPI_ERR_BAD_FILE},
        {ENAMETOOLONG, MPI_ERR_BAD_FILE}, {ENOMEM, MPI_ERR_NO_MEM}};

    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].reason == reason)
            return classes[i].class;
    return MPI_ERR_IO;
}

int file_system_error(const char *what, const char *name, int reason)
{
    return fail(file_error_class(reason), "%s \"%.200s\": %s", what, name, strerror(reason));
}

int file_get_amode(struct file *file, int *amode)
{
    *amode = file->amode;
    return MPI_SUCCESS;
}

int file_get_group(struct file *file, struct group **group)
{
    return comm_get_group(file->comm, group);
}

int file_get_info(struct file *file, struct info **info)
{
    return info_of_hints(&file->hints, info);
}

int file_get_atomicity(struct file *file, int *flag)
{
    *flag = atomic_load_explicit(&file->is_atomic, memory_order_relaxed);
    return MPI_SUCCESS;
}

int file_set_atomicity(struct file *file, int flag)
{
    int error =
        agreement_on_value(file->comm, "MPI_File_set_atomicity", file->name, "flag", flag != 0, MPI_SUCCESS);

    if (!error)
        atomic_store_explicit(&file->is_atomic, flag != 0, memory_order_relaxed);
    return error;
}

int file_get_size(struct file *file, MPI_Offset *size)
{
    struct stat status;

    if (fstat(file->fd, &status))
        return file_system_error("cannot ask for the size of", file->name, errno);
    *size = status.st_size;
    return MPI_SUCCESS;
}

static int check_resize(const struct file *file, const char *call, MPI_Offset size)
{
    int error = file_check_random(file, call);

    if (!error && file->amode & MPI_MODE_RDONLY)
        error = fail(MPI_ERR_READ_ONLY, "%s: \"%s\" was opened with MPI_MODE_RDONLY", call, file->name);
    if (!error && size < 0)
        error = fail(MPI_ERR_ARG, "%s: size %lld is negative", call, (long long)size);
    return error;
}

/* Rank 0 changes the size when all have come. */
int file_set_size(struct file *file, MPI_Offset size)
{
    int error = agreement_on_value(file->comm, "MPI_File_set_size", file->name, "size", size,
                                   check_resize(file, "MPI_File_set_size", size));
    int reason = 0;

    if (error)
        return error;
    if (file->rank == 0 && ftruncate(file->fd, size))
        reason = errno;
    error = agreement_with_first(file, reason, "cannot change the size of");
    range_lock_revalidate(file);
    return error;
}

static int allocate_space(const struct file *file, MPI_Offset size)
{
    int reason = size ? posix_fallocate(file->fd, 0, size) : 0;

    while (reason == EINTR)
        reason = posix_fallocate(file->fd, 0, size);
    return reason;
}

int file_preallocate(struct file *file, MPI_Offset size)
{
    int error = agreement_on_value(file->comm, "MPI_File_preallocate", file->name, "size", size,
                                   check_resize(file, "MPI_File_preallocate", size));

    if (error)
        return error;
    error = agreement_with_first(file, file->rank == 0 ? allocate_space(file, size) : 0,
                                 "cannot allocate space for");
    range_lock_revalidate(file);
    return error;
}

int file_flush(struct file *file)
{
    /* relaxed: a write that this process has finished is in its order; others are none of its promises */
    if (!atomic_exchange_explicit(&file->is_written, false, memory_order_relaxed))
        return MPI_SUCCESS;
    while (fsync(file->fd)) {
        if (errno == EINVAL || errno == EROFS) /* no file that is stored */
            return MPI_SUCCESS;
        if (errno == EINTR)
            continue;
        atomic_store_explicit(&file->is_written, true, memory_order_relaxed); /* the next try stores it */
        return file_system_error("cannot store", file->name, errno);
    }
    return MPI_SUCCESS;
}

/* When it returns, this rank sees what any rank has written before. */
int file_sync(struct file *file)
{
    int error = agreement_on_error(file->comm, "MPI_File_sync", file->name, file_flush(file));

    range_lock_revalidate(file);
    return error;
}

void file_advise(struct file *file)
{
    int64_t style = hint_value(&file->hints, HINT_ACCESS_STYLE);
    int advice = POSIX_FADV_NORMAL;

    if (style & (STYLE_SEQUENTIAL | STYLE_READ_ONCE))
        advice = POSIX_FADV_SEQUENTIAL;
    if (style & (STYLE_REVERSE_SEQUENTIAL | STYLE_RANDOM))
        advice = POSIX_FADV_RANDOM;
    if (style || file->is_advised)
        file->is_advised = posix_fadvise(file->fd, 0, 0, advice) == 0 && style; /* else nothing is lost */
}
