#include "file/file.h"

#include "coll/coll.h"
#include "plain/fail.h"
#include "win/accumulate.h"
#include "win/passive.h"

static const MPI_Offset FAR =
    (MPI_Offset)1 << 40; /* etypes that others hardly move the shared pointer while this rank does not look */

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
    atomic_store_explicit(&file->shared_seen, FILE_UNSEEN, memory_order_relaxed);
}

/* Rank by rank, one piece behind the other: a rank's piece begins behind those of the lower ranks. A number of etypes is two
 * words, whose sums of all ranks do not overflow. */
struct etypes_words {
    int64_t high, low;
};

enum {
    LOW_BITS = 32
};

static struct etypes_words split_etypes(MPI_Offset etypes)
{
    return (struct etypes_words){etypes >> LOW_BITS, etypes & 0xffffffff};
}

/* INT64_MAX where a file cannot have so many: view_check_place refuses that. */
static MPI_Offset join_etypes(struct etypes_words w)
{
    MPI_Offset high = w.high + (w.low >> LOW_BITS);

    return high >> (LOW_BITS - 1) ? INT64_MAX : (high << LOW_BITS) | (w.low & 0xffffffff);
}

/* Reads the pointer, and stores its sum if it has not moved since. */
static int add_near_end(struct file *file, MPI_Offset etypes, MPI_Offset *position)
{
    MPI_Offset now, sum;
    int error = pointer_read_shared(file, &now);

    for (*position = -1; !error && *position != now;) {
        *position = now;
        error = view_check_place(&file->view, now, etypes);
        if (error)
            return error;
        sum = now + etypes;
        error = win_compare_and_swap(&sum, position, &now, datatype_predefined(MPI_INT64_T), 0,
                                     file->shared_word, file->win);
        if (!error)
            error = win_flush(0, file->win);
    }
    return error;
}

/* Others have moved it since this rank saw it, but hardly so far. If they did, this takes back what it has added. */
static int add_far_from_end(struct file *file, MPI_Offset etypes, MPI_Offset *position)
{
    MPI_Offset now;
    int error = change_word(file, file->shared_word, OP_SUM, etypes, position), refused;

    if (error)
        return error;
    refused = view_check_place(&file->view, *position, etypes);
    if (refused)
        error = change_word(file, file->shared_word, OP_SUM, -etypes, &now);
    return error ? error : refused;
}

static bool is_far_from_end(const struct file *file, MPI_Offset etypes)
{
    MPI_Offset seen = atomic_load_explicit(&file->shared_seen, memory_order_relaxed);

    return seen >= 0 && !view_check_place(&file->view, seen, FAR) &&
           !view_check_place(&file->view, seen + FAR, etypes);
}

static int add_to_shared(struct file *file, MPI_Offset etypes, MPI_Offset *position)
{
    MPI_Offset at;
    int error =
        is_far_from_end(file, etypes) ? add_far_from_end(file, etypes, &at) : add_near_end(file, etypes, &at);

    if (error)
        return error;
    atomic_store_explicit(&file->shared_seen, at + etypes, memory_order_relaxed);
    *position = at;
    return MPI_SUCCESS;
}

/* What the last rank tells all. */
struct ordered_base {
    int64_t error, at;
};

static int place_ordered(struct file *file, MPI_Offset etypes, MPI_Offset *position)
{
    struct etypes_words before = {0, 0}, mine = split_etypes(etypes);
    struct ordered_base base = {MPI_SUCCESS, 0};
    int last = file->size - 1;
    int error = coll_exscan(&mine, &before, 2, datatype_predefined(MPI_INT64_T), &op_predefined[OP_SUM],
                            file->comm, FORM_BLOCKING, NULL, NULL);

    if (file->rank == 0)
        before = (struct etypes_words){0, 0};
    if (!error && file->rank == last) {
        struct etypes_words all = {before.high + mine.high, before.low + mine.low};
        MPI_Offset at = 0;

        base.error = view_scale(&file->view);
        if (!base.error)
            base.error = add_to_shared(file, join_etypes(all), &at);
        base.at = at;
    }
    if (!error)
        error = coll_bcast(&base, 2, datatype_predefined(MPI_INT64_T), last, file->comm, FORM_BLOCKING, NULL,
                           NULL);
    if (error)
        return error;
    if (base.error)
        return file->rank == last ? (int)base.error
                                  : fail((int)base.error,
                                         "the accesses of all ranks have no place behind the "
                                         "shared file pointer: rank %d cannot move it",
                                         last);
    *position = base.at + join_etypes(before);
    return MPI_SUCCESS;
}

static int place_individual(struct file *file, MPI_Offset etypes, MPI_Offset *position)
{
    int error;

    lock_take(&file->lock);
    error = view_check_place(&file->view, file->position, etypes);
    if (!error) {
        *position = file->position;
        file->position += etypes;
    }
    lock_release(&file->lock);
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
        return add_to_shared(file, etypes, position);
    if (pointer == FILE_INDIVIDUAL)
        return place_individual(file, etypes, position);
    *position = offset;
    return view_check_place(&file->view, offset, etypes);
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
    atomic_store_explicit(&file->shared_seen, FILE_UNSEEN, memory_order_relaxed);
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
