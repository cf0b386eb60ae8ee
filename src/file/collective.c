#include "file/collective.h"

#include "base/fail.h"
#include "coll/coll.h"
#include "file/agreement.h"
#include "file/by_message.h"
#include "file/cost.h"
#include "file/coverage.h"
#include "file/datarep.h"
#include "file/independent.h"
#include "file/range_lock.h"
#include "file/raw.h"

#include <stdlib.h>
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
    part.runs = estimate_runs(access);
    part.pieces = access->is_converted ? access_pieces(access) : 1;
    return part;
}

/* The stretch of all parts, and the sum of their stretches. */
static struct file_run span_of_parts(const struct collective_part *part, int ranks, MPI_Offset *sum)
{
    MPI_Offset begin = INT64_MAX, end = 0;

    *sum = 0;
    for (int r = 0; r < ranks; r++) {
        if (!part[r].bytes)
            continue;
        begin = part[r].begin < begin ? part[r].begin : begin;
        end = part[r].end > end ? part[r].end : end;
        *sum += part[r].end - part[r].begin;
    }
    return end ? (struct file_run){begin, end - begin} : (struct file_run){0, 0};
}

static struct cost_pattern describe_all(const struct rounds *r, bool is_write)
{
    struct cost_pattern p = {.is_write = is_write, .aggregators = r->a->count, .window = r->a->window};
    MPI_Offset spans;

    p.span = (double)span_of_parts(r->a->part, r->file->size, &spans).bytes;
    p.spans = (double)spans;
    for (int i = 0; i < r->file->size; i++) {
        p.runs += (double)r->a->part[i].runs;
        p.bytes += (double)r->a->part[i].bytes;
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
        return r->end > r->begin;
    pattern = describe_all(r, is_write);
    return cost_favours_buffers(&pattern);
}

/* Between a rank's memory and a window that it maps. */
static void copy_window(struct rounds *r, MPI_Offset window, const struct aggregator_half *half)
{
    MPI_Offset begin = (r->first + window) * r->a->window, data;
    struct file_run run;

    while (rounds_next(&r->cursor, begin + r->a->window, &run, &data)) {
        MPI_Offset at = run.at - begin, got;

        if (r->access->is_write) {
            rounds_fail(r, access_get(r->access, data, half->window + at, run.bytes));
            coverage_add(half->covered, at, run.bytes);
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
    MPI_Offset window = round * a->count;
    struct aggregator_half half;

    for (int i = 0; i < a->count && window + i < r->count; i++) {
        half = aggregators_half(a, i, round);
        if (half.window)
            copy_window(r, window + i, &half);
        else
            by_message_send(r, i, window + i);
    }
    if (a->mine >= 0 && window + a->mine < r->count) {
        half = aggregators_half(a, a->mine, round);
        by_message_serve(r, window + a->mine, &half);
    }
    by_message_finish(r);
}

static int write_covered(struct rounds *r, const struct aggregator_half *half, MPI_Offset begin,
                         bool is_locked)
{
    MPI_Offset at = 0;
    struct file_run run;
    int error = MPI_SUCCESS;

    while (!error && coverage_next(half->covered, r->a->window, at, &run)) {
        error = independent_write(r->file, half->window + run.at, begin + run.at, run.bytes, is_locked);
        at = run.at + run.bytes;
    }
    return error;
}

/* Copies what ranks have put over what the file has, and writes all of it. The range is locked. */
static int write_over(struct rounds *r, const struct aggregator_half *half, MPI_Offset begin, MPI_Offset end,
                      unsigned char *now)
{
    MPI_Offset at = 0, got;
    struct file_run run;
    int error = raw_read(r->file, now, begin, end, &got);

    if (error)
        return error;
    memset(now + got, 0, (size_t)(end - got));
    while (coverage_next(half->covered, r->a->window, at, &run)) {
        memcpy(now + run.at, half->window + run.at, (size_t)run.bytes);
        at = run.at + run.bytes;
    }
    return independent_write(r->file, now, begin, end, true);
}

/* A window with gaps: the stretches that are covered or, where it may be sieved, all of it up to their end. */
static int write_with_gaps(struct rounds *r, const struct aggregator_half *half, MPI_Offset begin,
                           MPI_Offset end)
{
    bool may_sieve =
        r->file->is_shared_sieve && independent_may_sieve(r->file, &r->file->hints, &r->file->view);
    unsigned char *now = may_sieve ? malloc((size_t)end) : NULL;
    int error;

    if (!now || range_lock_take(r->file, begin, end, false)) {
        free(now);
        return write_covered(r, half, begin, false);
    }
    if (independent_begin_sieve(r->file)) {
        error = write_over(r, half, begin, end, now);
        independent_end_sieve(r->file);
    } else {
        error = write_covered(r, half, begin, true);
    }
    range_lock_release(r->file, begin, end);
    free(now);
    return error;
}

/* Aggregator: after the barrier. */
static void flush_half(struct rounds *r, MPI_Offset window, const struct aggregator_half *half)
{
    MPI_Offset begin = (r->first + window) * r->a->window, end;
    struct file_run run, next;

    if (!coverage_next(half->covered, r->a->window, 0, &run))
        return;
    end = run.at + run.bytes;
    while (coverage_next(half->covered, r->a->window, end, &next))
        end = next.at + next.bytes;
    if (!r->error && end == run.at + run.bytes)
        rounds_fail(r, independent_write(r->file, half->window + run.at, begin + run.at, run.bytes, false));
    else if (!r->error)
        rounds_fail(r, write_with_gaps(r, half, begin, end));
    coverage_clear(half->covered, r->a->window);
}

/* Aggregator: before the barrier. After an error nobody gets data. */
static void fill_half(struct rounds *r, MPI_Offset window, const struct aggregator_half *half)
{
    MPI_Offset begin = (r->first + window) * r->a->window, got = 0;
    struct file_run run = rounds_window(r, window);

    *half->got = 0;
    if (r->error)
        return;
    rounds_fail(r, raw_read(r->file, half->window + (run.at - begin), run.at, run.bytes, &got));
    if (!r->error)
        *half->got = run.at - begin + got;
}

static void move_round(struct rounds *r, MPI_Offset round, bool is_write)
{
    struct aggregators *a = r->a;
    MPI_Offset window = round * a->count + a->mine;
    bool is_mine = a->mine >= 0 && window < r->count;
    struct aggregator_half half = {NULL, NULL, NULL};

    if (is_mine)
        half = aggregators_half(a, a->mine, round);
    if (is_write)
        copy_round(r, round);
    else if (is_mine)
        fill_half(r, window, &half);
    rounds_fail(r, coll_barrier(r->file->comm, FORM_BLOCKING, NULL, NULL));
    if (!is_write)
        copy_round(r, round);
    else if (is_mine)
        flush_half(r, window, &half);
}

static int move_buffered(struct rounds *r, bool is_write)
{
    int error = aggregators_open(r->file, r->a);

    if (error)
        return error;
    r->first = r->begin / r->a->window;
    r->count = (r->end + r->a->window - 1) / r->a->window - r->first;
    r->data_end = r->access->bytes;
    view_walk_begin(&r->cursor.walk, &r->file->view, r->access->from, r->access->bytes);
    for (MPI_Offset round = 0; round * r->a->count < r->count; round++)
        move_round(r, round, is_write);
    error = agreement_on_error(r->file->comm, is_write ? "a collective write" : "a collective read",
                               r->file->name, r->error);
    if (!error)
        r->access->moved = r->data_end;
    r->access->is_buffered = true;
    return error;
}

/* Whether hints or the mode keep all ranks from it. */
static bool never_buffers(const struct file *file, bool is_write)
{
    return file->size == 1 || atomic_load_explicit(&file->is_atomic, memory_order_relaxed) ||
           !hint_value(&file->hints, HINT_COLLECTIVE_BUFFERING) ||
           hint_value(&file->hints, is_write ? HINT_CB_WRITE : HINT_CB_READ) == ROMIO_DISABLE;
}

/* What the ranks tell each other about their accesses, and the stretch of all. */
static int gather_parts(struct rounds *r)
{
    struct collective_part mine = describe(r->access);
    int error = coll_allgather_bytes(r->file->comm, &mine, r->a->part, sizeof mine);
    struct file_run span;
    MPI_Offset spans;

    if (error)
        return error;
    span = span_of_parts(r->a->part, r->file->size, &spans);
    r->begin = span.at;
    r->end = span.at + span.bytes;
    return MPI_SUCCESS;
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
        most = all->a->part[i].pieces > most ? all->a->part[i].pieces : most;
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
    whole->is_buffered = true;
    return own ? own : failed;
}

int collective_try(struct file *file, bool is_write, struct file_access *access, int error)
{
    struct file_access none = {.file = file, .is_write = is_write};
    struct rounds r = {.file = file, .access = error ? &none : access};
    int failed;

    traffic_mark(&file->traffic.is_collective[is_write]);
    if (never_buffers(file, is_write))
        return error;
    failed = aggregators_of(file, &r.a);
    if (!failed)
        failed = gather_parts(&r);
    if (!failed && should_buffer(&r, is_write))
        failed = datarep_converts(file->view.datarep, is_write) ? buffer_pieces(&r, is_write)
                                                                : move_buffered(&r, is_write);
    return error ? error : failed;
}

int collective_move(struct file *file, bool is_write, struct file_access *access, int error)
{
    error = collective_try(file, is_write, access, error);
    return error || access->is_buffered ? error : independent_move(access);
}
