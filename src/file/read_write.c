#include "file/file.h"

#include "file/access.h"
#include "file/collective_buffering.h"
#include "file/datarep.h"
#include "file/independent.h"
#include "plain/fail.h"

/* What a call asks for. */
struct data_call {
    struct file *file;
    bool is_write;
    enum file_pointer pointer;
    MPI_Offset offset;
    struct user_buffer user;
};

static struct data_call reads(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf,
                              MPI_Count count, struct datatype *type)
{
    return (struct data_call){file, false, pointer, offset, {buf, count, type}};
}

static struct data_call writes(struct file *file, enum file_pointer pointer, MPI_Offset offset,
                               const void *buf, MPI_Count count, struct datatype *type)
{
    return (struct data_call){file, true, pointer, offset, {(void *)(uintptr_t)buf, count, type}};
}

/* Describes the access and finds its place. On an error pointers are where they were. `error`: of this rank so far. */
static int begin(const struct data_call *t, int error, struct file_access *access)
{
    MPI_Offset etypes = 0, position = 0;

    if (!error)
        error = access_describe(access, t->file, t->is_write, &t->user, &etypes);
    error = file_place(t->file, t->pointer, t->offset, etypes, error, &position);
    if (!error)
        access_begin(access, position);
    return error;
}

/* Ends an access that this thread has moved; a pointer stays behind the last etype that there was. */
static int end(const struct data_call *t, struct file_access *access, int error, struct status *status)
{
    error = access_end(access, error, status);
    if (!error && access->moved < access->bytes)
        file_place_back(t->file, t->pointer, (access->bytes - access->moved) / t->file->view.etype_bytes);
    return error;
}

static int access_now(const struct data_call *t, struct status *status)
{
    struct file_access access;
    uint64_t since;
    int error = begin(t, MPI_SUCCESS, &access);

    if (error)
        return error;
    since = file_traffic_begin();
    error = independent_move(&access);
    file_traffic_add(t->file, TRAFFIC_SELF, t->is_write, access.moved, since);
    return end(t, &access, error, status);
}

static int access_all(const struct data_call *t, struct status *status)
{
    struct file_access access;
    int begun = begin(t, MPI_SUCCESS, &access), error;
    uint64_t since = file_traffic_begin();

    error = collective_move(t->file, t->is_write, &access, begun);
    if (begun)
        return begun;
    file_traffic_add(t->file, access.is_buffered ? TRAFFIC_BUFFERS : TRAFFIC_SELF, t->is_write, access.moved,
                     since);
    return end(t, &access, error, status);
}

/* Callbacks of the program run in its own threads: what they convert is moved at once. */
static void start(struct task *task, struct file_access *access, struct request **request)
{
    if (access->is_converted && datarep_is_programs(access->file->view.datarep))
        worker_done(task, access, independent_move(access), request);
    else
        worker_start(task, access, request);
}

/* Has all memory before it moves a pointer. */
static int access_later(const struct data_call *t, struct request **request)
{
    struct file_access access;
    struct task *task = NULL;
    int error = worker_prepare(t->file, &task);

    error = begin(t, error, &access);
    if (error)
        worker_drop(task);
    else
        start(task, &access, request);
    return error;
}

/* A split collective is moved when it begins if that takes all ranks, else behind it. */
static int access_all_later(const struct data_call *t, struct request **request)
{
    struct file_access access;
    struct task *task = NULL;
    int prepared = worker_prepare(t->file, &task), begun = begin(t, prepared, &access), error;
    uint64_t since = file_traffic_begin();

    error = collective_try(t->file, t->is_write, &access, begun);
    if (begun) {
        worker_drop(task);
        return begun;
    }
    if (!error && !access.is_moved) {
        start(task, &access, request);
        return MPI_SUCCESS;
    }
    file_traffic_add(t->file, access.is_buffered ? TRAFFIC_BUFFERS : TRAFFIC_SELF, t->is_write, access.moved,
                     since);
    worker_done(task, &access, error, request);
    return MPI_SUCCESS;
}

int file_read(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf, MPI_Count count,
              struct datatype *type, struct status *status)
{
    struct data_call t = reads(file, pointer, offset, buf, count, type);

    return access_now(&t, status);
}

int file_write(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
               MPI_Count count, struct datatype *type, struct status *status)
{
    struct data_call t = writes(file, pointer, offset, buf, count, type);

    return access_now(&t, status);
}

int file_iread(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf, MPI_Count count,
               struct datatype *type, struct request **request)
{
    struct data_call t = reads(file, pointer, offset, buf, count, type);

    return access_later(&t, request);
}

int file_iwrite(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
                MPI_Count count, struct datatype *type, struct request **request)
{
    struct data_call t = writes(file, pointer, offset, buf, count, type);

    return access_later(&t, request);
}

static int check_no_split(const struct file *file)
{
    if (file->split)
        return fail(MPI_ERR_OTHER,
                    "a split collective is active on \"%s\"; end it before another collective access",
                    file->name);
    return MPI_SUCCESS;
}

int file_read_all(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf, MPI_Count count,
                  struct datatype *type, struct status *status)
{
    struct data_call t = reads(file, pointer, offset, buf, count, type);
    int error = check_no_split(file);

    return error ? error : access_all(&t, status);
}

int file_write_all(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
                   MPI_Count count, struct datatype *type, struct status *status)
{
    struct data_call t = writes(file, pointer, offset, buf, count, type);
    int error = check_no_split(file);

    return error ? error : access_all(&t, status);
}

int file_iread_all(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf,
                   MPI_Count count, struct datatype *type, struct request **request)
{
    int error = check_no_split(file);

    return error ? error : file_iread(file, pointer, offset, buf, count, type, request);
}

int file_iwrite_all(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
                    MPI_Count count, struct datatype *type, struct request **request)
{
    int error = check_no_split(file);

    return error ? error : file_iwrite(file, pointer, offset, buf, count, type, request);
}

static int begin_split(const struct data_call *t)
{
    struct file *file = t->file;
    int error = check_no_split(file);

    if (!error)
        error = access_all_later(t, &file->split);
    if (error)
        return error;
    file->split_pointer = t->pointer;
    file->split_is_write = t->is_write;
    file->split_buffer = t->user.at;
    return MPI_SUCCESS;
}

static int end_split(struct file *file, bool is_write, enum file_pointer pointer, const void *buf,
                     struct status *status)
{
    struct request *r = file->split;
    int error;

    if (!r || file->split_is_write != is_write || file->split_pointer != (int)pointer)
        return fail(MPI_ERR_OTHER, "no split collective of this kind was begun on \"%s\"", file->name);
    if (buf != file->split_buffer)
        return fail(MPI_ERR_BUFFER, "buf is %p, but %p was given when the access began", buf,
                    file->split_buffer);
    file->split = NULL;
    error = request_wait(r);
    *status = r->status;
    request_unref(r);
    return error;
}

int file_read_begin(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf,
                    MPI_Count count, struct datatype *type)
{
    struct data_call t = reads(file, pointer, offset, buf, count, type);

    return begin_split(&t);
}

int file_read_end(struct file *file, enum file_pointer pointer, void *buf, struct status *status)
{
    return end_split(file, false, pointer, buf, status);
}

int file_write_begin(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
                     MPI_Count count, struct datatype *type)
{
    struct data_call t = writes(file, pointer, offset, buf, count, type);

    return begin_split(&t);
}

int file_write_end(struct file *file, enum file_pointer pointer, const void *buf, struct status *status)
{
    return end_split(file, true, pointer, buf, status);
}
