#include "file/collective_buffering.h"

#include "coll/coll.h"
#include "file/cost.h"
#include "file/coverage.h"
#include "file/datarep.h"
#include "file/file.h"
#include "file/independent.h"
#include "file/rounds.h"
#include "p2p/lost.h"
#include "p2p/mitigate.h"
#include "plain/fail.h"

#include <string.h>

enum {
    RUNS_TRIED = 64 /* of an access, to estimate how many it has */
};

/* Looks at the first runs of the access. */
static MPI_Offset estimate_runs(const struct file_access *access)
{
    struct view_walk walk;
    struct file_run run;
    MPI_Offset runs = 0, bytes = 0;

    view_walk_begin(&walk, &access->file->view, access->from, access->bytes);
    while (runs < RUNS_TRIED && view_next(&walk, INT64_MAX, &run)) {
        runs++;
        bytes += run.bytes;
    }
    return (MPI_Offset)((double)access->bytes / (double)bytes * (double)runs);
}

static MPI_Offset part_runs(const struct collective_part *part)
{
    return part->is_carried ? 1 : part->runs;
}

static MPI_Offset part_pieces(const struct collective_part *part)
{
    return part->is_carried ? 1 : part->pieces;
}

static bool can_carry(const struct file_access *access, const struct collective_part *part)
{
    return access->is_write && access->run && access->bytes <= PART_CARRIES && part->is_ordered &&
           part->end - part->begin == access->bytes;
}

static struct collective_part describe(const struct file_access *access)
{
    const struct view *view = &access->file->view;
    struct collective_part part = {.is_ordered = true};

    if (access->bytes == 0)
        return part;
    part.is_ordered = view->is_ordered && view->filetype->overlaps_from != 1; /* tiles are apart then */
    part.begin = view_at(view, access->from);
    part.end = view_at(view, access->from + access->bytes - 1) + 1;
    part.bytes = access->bytes;
    part.is_carried = can_carry(access, &part);
    if (part.is_carried) {
        memcpy(part.data, access->run, (size_t)access->bytes);
    } else {
        part.runs = estimate_runs(access);
        part.pieces = access->is_converted ? access_pieces(access) : 1;
    }
    return part;
}

static struct cost_pattern describe_all(const struct rounds *r, bool is_write)
{
    struct cost_pattern p = {.is_write = is_write, .aggregators = r->a->count, .windows = (double)r->count};

    for (int i = 0; i < r->stretches; i++)
        p.span += (double)r->stretch[i].run.bytes;
    for (int i = 0; i < r->file->size; i++) {
        const struct collective_part *part = &r->a->part[i];

        p.spans += part->bytes ? (double)(part->end - part->begin) : 0;
        p.runs += (double)part_runs(part);
        p.bytes += (double)part->bytes;
    }
    return p;
}

/* The same on all ranks. */
static bool should_buffer(const struct rounds *r, bool is_write)
{
    int64_t wanted = hint_value(&r->file->hints, is_write ? HINT_CB_WRITE : HINT_CB_READ);
    struct cost_pattern pattern;

    for (int i = 0; i < r->file->size; i++)
        if (!r->a->part[i].is_ordered)
            return false;
    if (wanted == ROMIO_ENABLE)
        return r->count > 0;
    pattern = describe_all(r, is_write);
    return cost_favours_buffers(&pattern);
}

/* Between a rank's memory and a window that it maps. */
static void copy_window(struct rounds *r, const struct rounds_window *window,
                        const struct aggregator_half *half)
{
    MPI_Offset data;
    struct file_run run;

    while (rounds_next(&r->cursor, window->limit, &run, &data)) {
        MPI_Offset at = run.at - window->begin, got;

        if (r->access->is_write) {
            rounds_fail(r, access_get(r->access, data, half->window + at, run.bytes));
            coverage_add(&half->covered, at, run.bytes);
            continue;
        }
        got = rounds_got(half, at, run.bytes);
        rounds_fail(r, access_put(r->access, data, half->window + at, got));
        rounds_end_data(r, data, run.bytes, got);
    }
}

/* All windows of the round: this rank's data goes to their aggregators, or comes from them. */
static void copy_round(struct rounds *r, MPI_Offset round)
{
    struct aggregators *a = r->a;
    MPI_Offset number = round * a->count;
    struct aggregator_half half;
    struct rounds_window window;

    for (int i = 0; i < a->count && number + i < r->count; i++) {
        half = aggregators_half(a, i, round);
        window = rounds_window(r, number + i);
        if (half.window)
            copy_window(r, &window, &half);
        else
            by_message_send(r, i, &window);
    }
    if (a->mine >= 0 && number + a->mine < r->count) {
        half = aggregators_half(a, a->mine, round);
        window = rounds_window(r, number + a->mine);
        by_message_serve(r, &window, &half);
    }
    by_message_finish(r);
}

static int write_covered(struct rounds *r, const struct aggregator_half *half, MPI_Offset begin,
                         bool is_locked)
{
    MPI_Offset at = 0;
    struct file_run run;
    int error = MPI_SUCCESS;

    while (!error && coverage_next(&half->covered, at, &run)) {
        error = independent_write(r->file, half->window + run.at, begin + run.at, run.bytes, is_locked);
        at = run.at + run.bytes;
    }
    return error;
}

/* The first stretch at or behind `from` that no rank has put, up to `end`. False: there is none. */
static bool next_gap(const struct aggregator_half *half, MPI_Offset from, MPI_Offset end,
                     struct file_run *gap)
{
    struct file_run run;

    while (from < end) {
        bool is_covered = coverage_next(&half->covered, from, &run);
        MPI_Offset to = is_covered && run.at < end ? run.at : end;

        *gap = (struct file_run){from, to - from};
        if (gap->bytes)
            return true;
        from = run.at + run.bytes;
    }
    return false;
}

/* Reads the file from the first gap at or behind `from` on, as much as there is room for, and fills the gaps of that
 * stretch. *from becomes its end. */
static int fill_gaps(struct rounds *r, const struct aggregator_half *half, MPI_Offset begin, MPI_Offset end,
                     MPI_Offset *from)
{
    unsigned char *room = aggregators_room(r->a);
    struct file_run gap;
    MPI_Offset at, to, got;
    int error;

    if (!next_gap(half, *from, end, &gap)) {
        *from = end;
        return MPI_SUCCESS;
    }
    at = gap.at;
    to = end - at < r->a->room ? end : at + r->a->room;
    error = raw_read(r->file, room, begin + at, to - at, &got);
    if (error)
        return error;
    memset(room + got, 0, (size_t)(to - at - got));
    for (*from = at; next_gap(half, *from, to, &gap); *from = gap.at + gap.bytes)
        memcpy(half->window + gap.at, room + (gap.at - at), (size_t)gap.bytes);
    *from = to;
    return MPI_SUCCESS;
}

/* Puts what the file has between what ranks have put, and writes all of it. The range is locked. */
static int write_filled(struct rounds *r, const struct aggregator_half *half, MPI_Offset begin,
                        struct file_run span)
{
    MPI_Offset from = span.at, end = span.at + span.bytes;
    int error = MPI_SUCCESS;

    while (!error && from < end)
        error = fill_gaps(r, half, begin, end, &from);
    return error ? error
                 : independent_write(r->file, half->window + span.at, begin + span.at, span.bytes, true);
}

/* A window with gaps: the stretches that are covered or, where it may be sieved, all of the span. */
static int write_with_gaps(struct rounds *r, const struct aggregator_half *half, MPI_Offset begin,
                           struct file_run span)
{
    bool may_sieve =
        r->file->is_shared_sieve && independent_may_sieve(r->file, &r->file->hints, &r->file->view);
    int error;

    if (!may_sieve || range_lock_take(r->file, begin + span.at, span.bytes, false))
        return write_covered(r, half, begin, false);
    if (independent_begin_sieve(r->file)) {
        error = write_filled(r, half, begin, span);
        independent_end_sieve(r->file);
    } else {
        error = write_covered(r, half, begin, true);
    }
    range_lock_release(r->file, begin + span.at, span.bytes);
    return error;
}

/* Aggregator: all has been put. */
static void flush_half(struct rounds *r, const struct rounds_window *window, struct aggregator_half half)
{
    MPI_Offset begin = window->begin, from = window->touched.at - begin, end;
    struct file_run run, next;

    half.covered.window = from + window->touched.bytes; /* nothing lies outside of what is touched */
    if (!coverage_next(&half.covered, from, &run))
        return;
    end = run.at + run.bytes;
    while (coverage_next(&half.covered, end, &next))
        end = next.at + next.bytes;
    if (!r->error && end == run.at + run.bytes)
        rounds_fail(r, independent_write(r->file, half.window + run.at, begin + run.at, run.bytes, false));
    else if (!r->error)
        rounds_fail(r, write_with_gaps(r, &half, begin, (struct file_run){run.at, end - run.at}));
    coverage_clear(&half.covered, from);
}

/* Aggregator: before the barrier. After an error nobody gets data. */
static void fill_half(struct rounds *r, const struct rounds_window *window,
                      const struct aggregator_half *half)
{
    struct file_run run = window->touched;
    MPI_Offset at = run.at - window->begin, got = 0;

    *half->got = 0;
    if (r->error)
        return;
    rounds_fail(r, raw_read(r->file, half->window + at, run.at, run.bytes, &got));
    if (!r->error)
        *half->got = at + got;
}

static void move_round(struct rounds *r, MPI_Offset round, bool is_write)
{
    struct aggregators *a = r->a;
    MPI_Offset number = round * a->count + a->mine;
    bool is_mine = a->mine >= 0 && number < r->count;
    struct aggregator_half half = {0};
    struct rounds_window window = {0};

    if (is_mine) {
        half = aggregators_half(a, a->mine, round);
        window = rounds_window(r, number);
    }
    if (is_write)
        copy_round(r, round);
    else if (is_mine)
        fill_half(r, &window, &half);
    rounds_fail(r, coll_barrier(r->file->comm, FORM_BLOCKING, NULL, NULL));
    if (!is_write)
        copy_round(r, round);
    else if (is_mine)
        flush_half(r, &window, half);
}

/* The same on all ranks. */
static bool all_is_carried(const struct rounds *r)
{
    for (int i = 0; i < r->file->size; i++)
        if (r->a->part[i].bytes && !r->a->part[i].is_carried)
            return false;
    return r->count == 1;
}

/* Aggregator of the only window: puts there what all ranks have. Returns whether it is one run, in the order of the ranks. */
static bool put_carried(const struct rounds *r, const struct aggregator_half *half, MPI_Offset begin)
{
    MPI_Offset end = -1;
    bool is_run = true;

    for (int i = 0; i < r->file->size; i++) {
        const struct collective_part *part = &r->a->part[i];

        if (part->bytes == 0)
            continue;
        memcpy(half->window + (part->begin - begin), part->data, (size_t)part->bytes);
        is_run = is_run && (end < 0 || part->begin == end);
        end = part->end;
    }
    return is_run;
}

static void cover_carried(const struct rounds *r, const struct aggregator_half *half, MPI_Offset begin)
{
    for (int i = 0; i < r->file->size; i++)
        if (r->a->part[i].bytes)
            coverage_add(&half->covered, r->a->part[i].begin - begin, r->a->part[i].bytes);
}

static void write_carried(struct rounds *r)
{
    struct aggregator_half half = aggregators_half(r->a, 0, 0);
    struct rounds_window window = rounds_window(r, 0);
    MPI_Offset at = window.touched.at;

    if (put_carried(r, &half, window.begin)) {
        rounds_fail(r, independent_write(r->file, half.window + (at - window.begin), at, window.touched.bytes,
                                         false));
    } else {
        cover_carried(r, &half, window.begin);
        flush_half(r, &window, half);
    }
    if (range_lock_hides_writes(r->file))
        rounds_fail(r, file_flush(r->file));
}

static int move_carried(struct rounds *r)
{
    int error = aggregators_open(r->file, r->a);

    if (error)
        return error;
    if (r->a->mine == 0)
        write_carried(r);
    error = agreement_with(r->file->comm, r->a->rank[0], "a collective write", r->file->name, r->error);
    range_lock_revalidate(r->file);
    if (!error)
        r->access->moved = r->access->bytes;
    r->access->is_moved = r->access->is_buffered = true;
    return error;
}

static int move_by_rounds(struct rounds *r, bool is_write)
{
    int error = aggregators_open(r->file, r->a);

    if (error)
        return error;
    r->data_end = r->access->bytes;
    view_walk_begin(&r->cursor.walk, &r->file->view, r->access->from, r->access->bytes);
    for (MPI_Offset round = 0; round * r->a->count < r->count; round++)
        move_round(r, round, is_write);
    if (is_write && range_lock_hides_writes(r->file))
        rounds_fail(
            r, file_flush(r->file)); /* a rank reads what it has written, also if another one has done it */
    error = agreement_on_error(r->file->comm, is_write ? "a collective write" : "a collective read",
                               r->file->name, r->error);
    if (is_write)
        range_lock_revalidate(r->file);
    if (!error)
        r->access->moved = r->data_end;
    r->access->is_moved = r->access->is_buffered = true;
    return error;
}

static int move_buffered(struct rounds *r, bool is_write)
{
    return all_is_carried(r) ? move_carried(r) : move_by_rounds(r, is_write);
}

/* Whether hints or the mode keep all ranks from it. */
static bool never_buffers(const struct file *file, bool is_write)
{
    return file->size == 1 || atomic_load_explicit(&file->is_atomic, memory_order_relaxed) ||
           !hint_value(&file->hints, HINT_COLLECTIVE_BUFFERING) ||
           hint_value(&file->hints, is_write ? HINT_CB_WRITE : HINT_CB_READ) == ROMIO_DISABLE;
}

/* What the ranks tell each other about their accesses, and in which windows these lie. */
static int gather_parts(struct rounds *r)
{
    struct collective_part mine = describe(r->access);
    int error = coll_allgather_bytes(r->file->comm, &mine, r->a->part, sizeof mine);

    if (!error)
        rounds_lay_out(r);
    return error;
}

/* One of this rank's pieces; NULL: it has no more. */
static int buffer_piece(struct file *file, struct aggregators *a, bool is_write, struct file_access *piece)
{
    struct file_access none = {.file = file, .is_write = is_write};
    struct rounds r = {.file = file, .access = piece ? piece : &none, .a = a};
    int error = gather_parts(&r);

    return error ? error : move_buffered(&r, is_write);
}

static int buffer_pieces(struct rounds *all, bool is_write)
{
    struct file_access *whole = all->access, piece;
    MPI_Offset most = 0, mine = whole->is_converted ? access_pieces(whole) : 0;
    int own = MPI_SUCCESS, failed = MPI_SUCCESS;

    for (int i = 0; i < all->file->size; i++)
        if (part_pieces(&all->a->part[i]) > most)
            most = part_pieces(&all->a->part[i]);
    for (MPI_Offset i = 0; i < most && !failed; i++) {
        own = i < mine && !own ? access_begin_piece(whole, i, &piece) : own;
        if (own || i >= mine) {
            failed = buffer_piece(all->file, all->a, is_write, NULL);
            continue;
        }
        failed = buffer_piece(all->file, all->a, is_write, &piece);
        own = access_end_piece(whole, &piece, failed);
        if (piece.moved < piece.bytes) /* the end of the file */
            mine = 0;
    }
    whole->is_moved = whole->is_buffered = true;
    return own ? own : failed;
}

/* `error`: of this rank, which then has nothing to move. */
static int move_in_turn(struct file *file, struct file_access *access, int error)
{
    int own = error, failed = MPI_SUCCESS;

    for (int r = 0; r < file->size && !failed; r++) {
        if (r == file->rank && !own) {
            own = independent_move(access);
            access->is_moved = true;
        }
        failed = coll_barrier(file->comm, FORM_BLOCKING, NULL, NULL);
    }
    return own ? own : failed;
}

static int move_together(struct rounds *r, bool is_write)
{
    int error = aggregators_of(r->file, &r->a);

    if (!error)
        error = gather_parts(r);
    if (error || !should_buffer(r, is_write))
        return error;
    return datarep_converts(r->file->view.datarep, is_write) ? buffer_pieces(r, is_write)
                                                             : move_buffered(r, is_write);
}

/* Others may wait for messages of this rank, which has left the access for a loss: they end as well. */
static int end_after_loss(struct file *file, int error)
{
    if (!net_survives() || !lost_is_cause(error))
        return error;
    mitigate_revoke(file->comm);
    return fail(
        error,
        "a rank that has \"%.200s\" open is lost, or the file was revoked: it has no collective accesses "
        "any more until it is opened on a communicator of the living (MPIX_Comm_shrink)",
        file->name);
}

int collective_try(struct file *file, bool is_write, struct file_access *access, int error)
{
    struct file_access none = {.file = file, .is_write = is_write};
    struct rounds r = {.file = file, .access = error ? &none : access};
    int failed;

    file_traffic_mark(&file->traffic.is_collective[is_write]);
    if (file->is_stream)
        return move_in_turn(file, access, error);
    if (never_buffers(file, is_write))
        return error;
    failed = end_after_loss(file, move_together(&r, is_write));
    return error ? error : failed;
}

int collective_move(struct file *file, bool is_write, struct file_access *access, int error)
{
    error = collective_try(file, is_write, access, error);
    return error || access->is_moved ? error : independent_move(access);
}
