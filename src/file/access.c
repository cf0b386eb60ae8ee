#include "file/access.h"

#include "file/datarep.h"
#include "plain/fail.h"

#include <stdlib.h>
#include <string.h>

static int check_direction(const struct file *file, bool is_write)
{
    if (is_write && file->amode & MPI_MODE_RDONLY)
        return fail(MPI_ERR_READ_ONLY, "\"%s\" was opened with MPI_MODE_RDONLY", file->name);
    if (!is_write && file->amode & MPI_MODE_WRONLY)
        return fail(MPI_ERR_ACCESS, "\"%s\" was opened with MPI_MODE_WRONLY, and cannot be read", file->name);
    return MPI_SUCCESS;
}

/* The bytes that one item has in the file. */
static int find_item_bytes(const struct view *view, struct datatype *type, MPI_Count *bytes)
{
    struct datatype *in_file;
    int error = datarep_type(view->datarep, type, &in_file);

    if (error)
        return error;
    *bytes = in_file->size;
    datatype_unref(in_file);
    return MPI_SUCCESS;
}

static int find_bytes(struct file_access *access, MPI_Offset *etypes)
{
    const struct view *view = &access->file->view;
    const struct user_buffer *user = &access->user;
    int error = find_item_bytes(view, user->type, &access->item_bytes);

    if (error)
        return error;
    if (__builtin_mul_overflow(access->item_bytes, user->count, &access->bytes))
        return fail(MPI_ERR_COUNT, "%lld items of %lld bytes are more than a file can hold",
                    (long long)user->count, (long long)access->item_bytes);
    *etypes = access->bytes / view->etype_bytes;
    if (*etypes * view->etype_bytes != access->bytes)
        return fail(MPI_ERR_TYPE, "%lld bytes are no whole number of etypes of %lld bytes",
                    (long long)access->bytes, (long long)view->etype_bytes);
    return MPI_SUCCESS;
}

/* Their bytes are whole etypes, too. */
static MPI_Count find_piece_items(const struct file_access *access)
{
    MPI_Offset divisor = access->file->view.etype_bytes, rest = access->item_bytes, step, fits;

    while (rest) {
        MPI_Offset last = divisor;

        divisor = rest;
        rest = last % divisor;
    }
    step = access->file->view.etype_bytes / divisor;
    fits = hint_value(&access->file->hints,
                      access->is_write ? HINT_IND_WR_BUFFER_SIZE : HINT_IND_RD_BUFFER_SIZE) /
           access->item_bytes;
    fits -= fits % step;
    return fits ? fits : step;
}

/* Where the data is in memory, and whether it must be converted. */
static int find_data(struct file_access *access)
{
    struct file *file = access->file;
    const struct user_buffer *user = &access->user;
    const void *run = NULL;

    access->device = datatype_device(user->type, user->at, hint_buffer_kinds(&file->hints));
    access->is_converted = access->bytes && datarep_converts(file->view.datarep, access->is_write);
    if (access->is_converted) {
        if (access->device)
            return fail(MPI_ERR_BUFFER, "data in a device's memory cannot be converted to \"%s\"",
                        datarep_name(file->view.datarep));
        access->piece_items = find_piece_items(access);
    } else if (!access->device && datatype_is_run(user->type, user->count, user->at, &run)) {
        access->run = (unsigned char *)(uintptr_t)run;
    }
    return MPI_SUCCESS;
}

int access_describe(struct file_access *access, struct file *file, bool is_write,
                    const struct user_buffer *user, MPI_Offset *etypes)
{
    int error = check_direction(file, is_write);

    *access = (struct file_access){.file = file, .is_write = is_write, .user = *user};
    if (!error)
        error = view_scale(&file->view);
    if (!error)
        error = find_bytes(access, etypes);
    return error ? error : find_data(access);
}

void access_begin(struct file_access *access, MPI_Offset position)
{
    access->from = position * access->file->view.etype_bytes;
    datatype_ref(access->user.type);
}

int access_finish(struct file_access *access, int error, struct status *status)
{
    if (access->moved < access->bytes)
        access->moved -= access->moved % access->file->view.etype_bytes;
    if (!error)
        status->bytes = datarep_memory_bytes(access->user.type, access->item_bytes, access->moved);
    return error;
}

void access_release(struct file_access *access)
{
    free(access->converted);
    datatype_unref(access->user.type);
}

int access_end(struct file_access *access, int error, struct status *status)
{
    error = access_finish(access, error, status);
    access_release(access);
    return error;
}

MPI_Count access_pieces(const struct file_access *access)
{
    MPI_Count items = access->user.count;

    return items / access->piece_items + (items % access->piece_items != 0);
}

int access_begin_piece(struct file_access *access, MPI_Count number, struct file_access *piece)
{
    MPI_Count first = number * access->piece_items, left = access->user.count - first;

    *piece = *access;
    piece->user.at = layout_at(access->user.at, first * access->user.type->extent);
    piece->user.count = left < access->piece_items ? left : access->piece_items;
    piece->from += first * access->item_bytes;
    piece->bytes = piece->user.count * access->item_bytes;
    piece->moved = 0;
    piece->is_converted = false;
    if (!access->converted) /* the first piece is the largest */
        access->converted = malloc((size_t)piece->bytes);
    if (!access->converted)
        return fail(MPI_ERR_NO_MEM, "no memory to convert %lld bytes", (long long)piece->bytes);
    piece->run = access->converted;
    if (!access->is_write)
        return MPI_SUCCESS;
    return datarep_write(access->file->view.datarep, &piece->user, piece->run, piece->bytes);
}

int access_end_piece(struct file_access *access, struct file_access *piece, int error)
{
    const struct view *view = &access->file->view;

    piece->moved -= piece->moved % view->etype_bytes;
    access->moved += piece->moved;
    if (error || access->is_write)
        return error;
    return datarep_read(view->datarep, piece->run, piece->moved, piece->item_bytes, &piece->user);
}

int access_get(const struct file_access *access, MPI_Offset at, void *to, MPI_Offset bytes)
{
    if (access->run) {
        memcpy(to, access->run + at, (size_t)bytes);
        return MPI_SUCCESS;
    }
    return datatype_pack_from(access->device, access->user.type, access->user.at, (size_t)at, to,
                              (size_t)bytes);
}

int access_put(const struct file_access *access, MPI_Offset at, const void *from, MPI_Offset bytes)
{
    if (access->run) {
        memcpy(access->run + at, from, (size_t)bytes);
        return MPI_SUCCESS;
    }
    return datatype_unpack_to(access->device, access->user.type, access->user.at, (size_t)at, from,
                              (size_t)bytes);
}
