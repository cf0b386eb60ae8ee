#include "file/independent.h"

#include "plain/fail.h"

#include <stdlib.h>
#include <string.h>

enum {
    WINDOW_RUNS = 1024,
    JOIN_MOST = 16 << 10 /* bytes of a run and the gap before it that are copied sooner than a call is made */
};

struct mover {
    struct file_access *access;
    struct view_walk walk;
    struct file_run next;  /* the run behind the window; bytes 0: none */
    MPI_Offset run_most;   /* bytes of one run */
    MPI_Offset span_most;  /* bytes of the file that a window of several runs may span; 0: no such windows */
    MPI_Offset join_most;  /* see JOIN_MOST */
    bool is_locked;        /* all of the access */
    unsigned char *sieve;  /* holds the span of a window of several runs; NULL: none yet */
    unsigned char *packed; /* holds the data of a window; NULL: memory is one run */
    MPI_Offset first;      /* of the window: where its data is in the access */
    MPI_Offset at, end, bytes; /* its span in the file; its data */
    int runs;
    struct file_run run[WINDOW_RUNS];
};

bool independent_may_sieve(const struct file *file, const struct hints *hints, const struct view *view)
{
    int64_t wanted = hint_value(hints, HINT_DS_WRITE);

    if (file->amode & MPI_MODE_RDONLY || !file->is_readable || (view->filetype && view->is_dense))
        return false;
    if (wanted == ROMIO_AUTOMATIC)
        return file->is_first || (file->amode & MPI_MODE_UNIQUE_OPEN && file->sees_locks);
    return wanted == ROMIO_ENABLE;
}

/* Whether nobody has promised that there are no others. */
static bool looks_for_others(const struct file *file)
{
    return hint_value(&file->hints, HINT_DS_WRITE) == ROMIO_AUTOMATIC &&
           !(file->amode & MPI_MODE_UNIQUE_OPEN);
}

bool independent_begin_sieve(const struct file *file)
{
    return !looks_for_others(file) || range_presence_begin_sieve(file);
}

void independent_end_sieve(const struct file *file)
{
    if (looks_for_others(file))
        range_presence_end_sieve(file);
}

/* Takes the lock that a write needs while others may sieve. Where there are no locks, nobody sieves. */
static int lock_range(struct file *file, MPI_Offset at, MPI_Offset bytes, bool *is_locked)
{
    int error = range_lock_take(file, at, bytes, false);

    *is_locked = !error;
    return error == MPI_ERR_UNSUPPORTED_OPERATION ? MPI_SUCCESS : error;
}

int independent_write(struct file *file, const void *from, MPI_Offset at, MPI_Offset bytes, bool is_locked)
{
    bool takes_lock = file->is_shared_sieve && !is_locked;
    int error = takes_lock ? lock_range(file, at, bytes, &takes_lock) : MPI_SUCCESS;

    if (!error)
        error = raw_write(file, from, at, bytes);
    if (takes_lock)
        range_lock_release(file, at, bytes);
    return error;
}

/* Takes the runs of the next window off the walk. */
static bool next_window(struct mover *m)
{
    if (m->next.bytes == 0 && !view_next(&m->walk, m->run_most, &m->next))
        return false;
    m->first += m->bytes;
    m->at = m->end = m->next.at;
    m->bytes = 0;
    m->runs = 0;
    do {
        m->run[m->runs++] = m->next;
        m->bytes += m->next.bytes;
        m->end = m->next.at + m->next.bytes;
        if (!view_next(&m->walk, m->run_most, &m->next)) {
            m->next.bytes = 0;
            break;
        }
    } while (m->runs < WINDOW_RUNS && m->next.at >= m->end &&
             m->next.at + m->next.bytes - m->end <= m->join_most &&
             m->next.at + m->next.bytes - m->at <= m->span_most);
    return true;
}

/* Copies between the span of the window and its data: `to_data`, as far as the `got` first bytes of the span
 * reach, or from there. Returns the bytes of data. */
static MPI_Offset sieve_runs(const struct mover *m, unsigned char *data, bool to_data, MPI_Offset got)
{
    MPI_Offset done = 0;

    file_traffic_mark(&m->access->file->traffic.is_sieved[!to_data]);
    for (int i = 0; i < m->runs; i++) {
        MPI_Offset at = m->run[i].at - m->at, bytes = m->run[i].bytes;

        if (at + bytes > got)
            bytes = got > at ? got - at : 0;
        if (to_data)
            memcpy(data + done, m->sieve + at, (size_t)bytes);
        else
            memcpy(m->sieve + at, data + done, (size_t)bytes);
        done += bytes;
        if (bytes < m->run[i].bytes)
            break;
    }
    return done;
}

static int read_window(struct mover *m)
{
    struct file_access *a = m->access;
    unsigned char *data = m->packed ? m->packed : a->run + m->first;
    MPI_Offset got;
    int error = raw_read(a->file, m->runs == 1 ? data : m->sieve, m->at, m->end - m->at, &got);

    if (error)
        return error;
    if (m->runs > 1)
        got = sieve_runs(m, data, true, got);
    a->moved += got;
    return m->packed ? access_put(a, m->first, data, got) : MPI_SUCCESS;
}

/* Reads the span, puts the data into it, and writes it back. */
static int change_span(struct mover *m, unsigned char *data)
{
    struct file *file = m->access->file;
    MPI_Offset span = m->end - m->at, got;
    int error = raw_read(file, m->sieve, m->at, span, &got);

    if (error)
        return error;
    memset(m->sieve + got, 0, (size_t)(span - got));
    sieve_runs(m, data, false, span);
    return raw_write(file, m->sieve, m->at, span);
}

static int write_runs(struct mover *m, const unsigned char *data, bool is_locked)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < m->runs && !error; i++) {
        error = independent_write(m->access->file, data, m->run[i].at, m->run[i].bytes, is_locked);
        data += m->run[i].bytes;
    }
    return error;
}

static int write_span(struct mover *m, unsigned char *data, bool is_locked)
{
    const struct file *file = m->access->file;
    int error;

    if (m->runs == 1 || !is_locked || !independent_begin_sieve(file))
        return write_runs(m, data, is_locked);
    error = change_span(m, data);
    independent_end_sieve(file);
    return error;
}

static int write_window(struct mover *m)
{
    struct file_access *a = m->access;
    unsigned char *data = m->packed ? m->packed : a->run + m->first;
    bool is_locked = false;
    int error = m->packed ? access_get(a, m->first, data, m->bytes) : MPI_SUCCESS;

    if (!error && m->runs > 1 && !m->is_locked)
        error = lock_range(a->file, m->at, m->end - m->at, &is_locked);
    if (!error)
        error = write_span(m, data, is_locked || m->is_locked);
    if (is_locked)
        range_lock_release(a->file, m->at, m->end - m->at);
    if (!error)
        a->moved += m->bytes;
    return error;
}

static int prepare_buffers(struct mover *m)
{
    struct file_access *a = m->access;
    MPI_Offset room = m->run_most > m->span_most ? m->run_most : m->span_most;

    if (!a->run)
        m->packed = malloc((size_t)(a->bytes < room ? a->bytes : room));
    if (m->span_most)
        m->sieve = malloc((size_t)m->span_most);
    if ((!a->run && !m->packed) || (m->span_most && !m->sieve))
        return fail(MPI_ERR_NO_MEM, "no memory for a buffer of %lld bytes", (long long)room);
    return MPI_SUCCESS;
}

/* How far windows may reach, by the hints. */
static void set_limits(struct mover *m)
{
    struct file_access *a = m->access;
    const struct hints *hints = &a->file->hints;
    int64_t wanted = hint_value(hints, a->is_write ? HINT_DS_WRITE : HINT_DS_READ);
    MPI_Offset buffer = hint_value(hints, a->is_write ? HINT_IND_WR_BUFFER_SIZE : HINT_IND_RD_BUFFER_SIZE);
    bool may_sieve =
        a->is_write ? independent_may_sieve(a->file, hints, &a->file->view) : wanted != ROMIO_DISABLE;

    m->run_most = a->run ? INT64_MAX : buffer;
    m->span_most = may_sieve && !a->file->view.is_dense ? buffer : 0;
    m->join_most = wanted == ROMIO_ENABLE ? INT64_MAX : JOIN_MOST;
}

static int move_windows(struct file_access *a, const struct view_walk *walk, bool is_locked)
{
    struct mover *m = calloc(1, sizeof *m);
    int error;

    if (!m)
        return fail(MPI_ERR_NO_MEM, "no memory for a data access");
    m->access = a;
    m->walk = *walk;
    m->is_locked = is_locked;
    set_limits(m);
    error = prepare_buffers(m);
    while (!error && next_window(m)) {
        error = a->is_write ? write_window(m) : read_window(m);
        if (a->moved < m->first + m->bytes) /* the end of the file, or an error */
            break;
    }
    free(m->packed);
    free(m->sieve);
    free(m);
    return error;
}

static int move_whole(struct file_access *a, bool is_locked)
{
    struct view_walk walk, begin;
    struct file_run run;

    view_walk_begin(&begin, &a->file->view, a->from, a->bytes);
    walk = begin;
    if (!a->run || !view_next(&walk, INT64_MAX, &run) || run.bytes < a->bytes)
        return move_windows(a, &begin, is_locked);
    if (!a->is_write)
        return raw_read(a->file, a->run, run.at, run.bytes, &a->moved);
    a->moved = run.bytes;
    return independent_write(a->file, a->run, run.at, run.bytes, is_locked);
}

static int move_access(struct file_access *a, bool is_locked)
{
    MPI_Count pieces = a->is_converted ? access_pieces(a) : 0;
    bool is_at_end = false;
    int error = MPI_SUCCESS;

    if (!a->is_converted)
        return move_whole(a, is_locked);
    for (MPI_Count i = 0; i < pieces && !error && !is_at_end; i++) {
        struct file_access piece;

        error = access_begin_piece(a, i, &piece);
        if (!error)
            error = access_end_piece(a, &piece, move_whole(&piece, is_locked));
        is_at_end = piece.moved < piece.bytes;
    }
    return error;
}

/* The stretch of the file in which the access lies; bytes 0: up to its end. */
static struct file_run access_span(const struct file_access *a)
{
    const struct view *view = &a->file->view;
    MPI_Offset first = view_at(view, a->from);

    if (!view->is_ordered)
        return (struct file_run){view->disp, 0};
    return (struct file_run){first, view_at(view, a->from + a->bytes - 1) + 1 - first};
}

static int move_stream(struct file_access *a)
{
    int error = raw_stream_take(a);

    if (error)
        return error;
    error = move_access(a, true);
    raw_stream_release(a->file);
    return error;
}

int independent_move(struct file_access *a)
{
    struct file_run span;
    int error;

    if (a->bytes == 0)
        return MPI_SUCCESS;
    if (a->file->is_stream)
        return move_stream(a);
    if (!atomic_load_explicit(&a->file->is_atomic, memory_order_relaxed))
        return move_access(a, false);
    span = access_span(a);
    error = range_lock_take(a->file, span.at, span.bytes, !a->is_write);
    if (error)
        return error;
    error = move_access(a, true);
    range_lock_release(a->file, span.at, span.bytes);
    return error;
}
