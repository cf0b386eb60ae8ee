#include "file/pointer.h"

#include "coll/coll.h"
#include "plain/fail.h"
#include "win/accumulate.h"
#include "win/passive.h"

/* Combines with a word of the window, and gives its value before. */
static int change_word(struct file *file, int word, enum op_code operation, MPI_Offset value,
                       MPI_Offset *before)
{
    int64_t operand = value, old = 0;
    int error = win_fetch_and_op(&operand, &old, datatype_predefined(MPI_INT64_T), 0, word,
                                 &op_predefined[operation], file->win);

    if (!error)
        error = win_flush(0, file->win);
    if (!error)
        *before = old;
    return error;
}

int pointer_read_shared(struct file *file, MPI_Offset *position)
{
    return change_word(file, file->shared_word, OP_NO_OP, 0, position);
}

int pointer_prepare_next(struct file *file, MPI_Offset position)
{
    MPI_Offset before;

    return change_word(file, !file->shared_word, OP_REPLACE, position, &before);
}

void pointer_take_next(struct file *file)
{
    file->shared_word = !file->shared_word;
}

/* Rank by rank, one piece behind the other: a rank's piece begins behind those of the lower ranks. */
static int place_ordered(struct file *file, MPI_Offset etypes, MPI_Offset *position)
{
    int64_t before = 0, mine = etypes, base = 0;
    int last = file->size - 1;
    int error = coll_exscan(&mine, &before, 1, datatype_predefined(MPI_INT64_T), &op_predefined[OP_SUM],
                            file->comm, FORM_BLOCKING, NULL, NULL);

    if (file->rank == 0)
        before = 0;
    if (!error && file->rank == last)
        error = change_word(file, file->shared_word, OP_SUM, before + mine, &base);
    if (!error)
        error = coll_bcast(&base, 1, datatype_predefined(MPI_INT64_T), last, file->comm, FORM_BLOCKING, NULL,
                           NULL);
    if (!error)
        *position = base + before;
    return error;
}

static int check_pointer(const struct file *file, enum file_pointer pointer)
{
    if (pointer == FILE_EXPLICIT)
        return file_check_random(file, "explicit offsets");
    return pointer == FILE_INDIVIDUAL ? file_check_random(file, "individual file pointers") : MPI_SUCCESS;
}

int file_place(struct file *file, enum file_pointer pointer, MPI_Offset offset, MPI_Offset etypes, int error,
               MPI_Offset *position)
{
    int own = error ? error : check_pointer(file, pointer);

    if (pointer == FILE_ORDERED)
        error = place_ordered(file, own ? 0 : etypes, position);
    if (own || pointer == FILE_ORDERED)
        return own ? own : error;
    if (pointer == FILE_SHARED)
        return change_word(file, file->shared_word, OP_SUM, etypes, position);
    if (pointer == FILE_INDIVIDUAL) {
        lock_take(&file->lock);
        offset = file->position;
        file->position += etypes;
        lock_release(&file->lock);
    }
    *position = offset;
    return MPI_SUCCESS;
}

void file_place_back(struct file *file, enum file_pointer pointer, MPI_Offset etypes)
{
    if (pointer != FILE_INDIVIDUAL)
        return;
    lock_take(&file->lock);
    file->position -= etypes;
    lock_release(&file->lock);
}

/* The position that a seek means. `now`: of the pointer. */
static int find_seek_target(struct file *file, MPI_Offset offset, int whence, MPI_Offset now,
                            MPI_Offset *target)
{
    MPI_Offset size, base = 0;
    int error = MPI_SUCCESS;

    if (whence == MPI_SEEK_CUR) {
        base = now;
    } else if (whence == MPI_SEEK_END) {
        error = file_get_size(file, &size);
        if (!error)
            error = view_position_of(&file->view, size, &base);
    } else if (whence != MPI_SEEK_SET) {
        return fail(MPI_ERR_ARG, "whence %d is none of MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END", whence);
    }
    if (error)
        return error;
    if (__builtin_add_overflow(base, offset, target) || *target < 0)
        return fail(MPI_ERR_ARG, "offset %lld from position %lld leads to a negative position, or to none",
                    (long long)offset, (long long)base);
    return MPI_SUCCESS;
}

int file_seek(struct file *file, MPI_Offset offset, int whence)
{
    MPI_Offset target;
    int error = file_check_random(file, "MPI_File_seek");

    if (!error)
        error = view_scale(&file->view);
    if (error)
        return error;
    lock_take(&file->lock);
    error = find_seek_target(file, offset, whence, file->position, &target);
    if (!error)
        file->position = target;
    lock_release(&file->lock);
    return error;
}

int file_get_position(struct file *file, MPI_Offset *offset)
{
    int error = file_check_random(file, "MPI_File_get_position");

    if (error)
        return error;
    lock_take(&file->lock);
    *offset = file->position;
    lock_release(&file->lock);
    return MPI_SUCCESS;
}

/* What the ranks must give alike, and the complements; -1, which is the least, in `is_fine` of a rank with an error. */
struct seek_words {
    int64_t offset, no_offset, whence, no_whence, is_fine;
};

static int agree_on_seek(struct file *file, MPI_Offset offset, int whence, int error)
{
    struct seek_words w = {offset, ~offset, whence, ~whence, error ? -1 : 0};
    int failed =
        coll_allreduce(MPI_IN_PLACE, &w, sizeof w / sizeof w.offset, datatype_predefined(MPI_INT64_T),
                       &op_predefined[OP_MIN], file->comm, FORM_BLOCKING, NULL, NULL);

    if (error || failed)
        return error ? error : failed;
    if (w.offset != ~w.no_offset || w.whence != ~w.no_whence)
        return fail(MPI_ERR_NOT_SAME,
                    "MPI_File_seek_shared: offsets from %lld to %lld and whence from %lld to %lld were "
                    "given; they must be the same on all ranks",
                    (long long)w.offset, (long long)~w.no_offset, (long long)w.whence,
                    (long long)~w.no_whence);
    return w.is_fine ? fail(MPI_ERR_OTHER, "MPI_File_seek_shared failed on another rank") : MPI_SUCCESS;
}

/* Rank 0 moves the pointer when all have come, and the others wait for its word. */
int file_seek_shared(struct file *file, MPI_Offset offset, int whence)
{
    MPI_Offset now = 0, target = 0;
    int error = file_check_random(file, "MPI_File_seek_shared"), done = MPI_SUCCESS;

    if (!error)
        error = view_scale(&file->view);
    error = agree_on_seek(file, offset, whence, error);
    if (error)
        return error;
    if (file->rank == 0) {
        done = pointer_read_shared(file, &now);
        if (!done)
            done = find_seek_target(file, offset, whence, now, &target);
        if (!done)
            done = change_word(file, file->shared_word, OP_REPLACE, target, &now);
    }
    error = coll_bcast(&done, 1, datatype_predefined(MPI_INT), 0, file->comm, FORM_BLOCKING, NULL, NULL);
    if (!error && done && file->rank)
        return fail(done, "MPI_File_seek_shared: rank 0 cannot move the pointer by %lld", (long long)offset);
    return error ? error : done;
}

int file_get_position_shared(struct file *file, MPI_Offset *offset)
{
    int error = file_check_random(file, "MPI_File_get_position_shared");

    return error ? error : pointer_read_shared(file, offset);
}

int file_get_byte_offset(struct file *file, MPI_Offset offset, MPI_Offset *disp)
{
    MPI_Offset from;
    int error = file_check_random(file, "MPI_File_get_byte_offset");

    if (!error)
        error = view_scale(&file->view);
    if (error)
        return error;
    if (offset < 0 || __builtin_mul_overflow(offset, file->view.etype_bytes, &from))
        return fail(MPI_ERR_ARG, "offset %lld is negative, or beyond the largest of a file",
                    (long long)offset);
    error = file->view.filetype->size ? view_check_range(&file->view, from, 1) : MPI_SUCCESS;
    if (!error)
        *disp = view_at(&file->view, from);
    return error;
}
