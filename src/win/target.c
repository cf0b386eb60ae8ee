#include "win/target.h"

#include "p2p/lane.h"
#include "win/attachment.h"
#include "win/control.h"
#include "win/epoch.h"

#include <string.h>

enum {
    READ_BYTES = 16 * 1024, /* that are read at once, gaps included */
    GAP_MOST = 1024 /* bytes from run to run: further apart, runs are read one by one (bench/notes.md) */
};

static int refuse_range(const struct win *win, int rank, MPI_Aint disp, size_t bytes)
{
    struct win_segment s = win_segment_of(win, rank);

    return fail(MPI_ERR_RMA_RANGE,
                "target_disp %lld: %zu bytes there are not in the window of rank %d, which has %lld bytes in "
                "units of %lld",
                (long long)disp, bytes, rank, (long long)s.bytes, (long long)s.unit);
}

/* Whether it is mapped has been found. */
static bool needs_message(const struct target *t)
{
    const struct win_neighbour *neighbour = t->win->neighbour;

    return !t->is_mapped && t->win->agent && !(neighbour && neighbour[t->rank].is_copied);
}

/* The target of a dynamic window, whose displacements are addresses. */
static int target_find_attached(struct target *t, MPI_Aint disp, MPI_Count begin, size_t bytes)
{
    int error;

    t->address = (uint64_t)disp;
    error = bytes ? attachment_find(t, begin, bytes) : MPI_SUCCESS;
    t->by_message = needs_message(t);
    return error;
}

/* The bytes of memory that the items span, from `begin` on. */
static int target_span(const struct datatype *type, MPI_Count count, MPI_Count *begin, size_t *bytes)
{
    *begin = 0;
    if (__builtin_expect(type->dense, 1))
        return datatype_bytes(type, count, bytes);
    return datatype_span(type, count, begin, bytes);
}

/* The rank, the type and the epoch are fine. */
static int locate(struct target *t, MPI_Aint disp)
{
    struct win_segment s = win_segment_of(t->win, t->rank);
    MPI_Aint offset, first;
    MPI_Count begin;
    size_t bytes;
    int error = target_span(t->type, t->count, &begin, &bytes);

    if (error)
        return error;
    if (t->win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return target_find_attached(t, disp, begin, bytes);
    if (disp < 0)
        return fail(MPI_ERR_DISP, "target_disp %lld is negative", (long long)disp);
    if (__builtin_mul_overflow(disp, s.unit, &offset) || __builtin_add_overflow(offset, begin, &first) ||
        first < 0 || first > s.bytes || bytes > (size_t)(s.bytes - first)) {
        if (bytes)
            return refuse_range(t->win, t->rank, disp, bytes);
        t->count = 0;
    }
    t->is_mapped = s.at != NULL;
    t->at = s.at ? s.at + offset : NULL;
    t->address = s.address + (uint64_t)offset;
    t->is_shared = t->rank == t->win->rank ? t->win->is_exposed : s.at != NULL;
    t->by_message = needs_message(t);
    return MPI_SUCCESS;
}

/* Nothing is done for MPI_PROC_NULL, whatever the other arguments are. */
static int check_target(struct win *win, int rank, const struct datatype *type)
{
    int error = epoch_check_rank(win, rank);

    if (!error && !datatype_is_usable(type))
        error = fail(MPI_ERR_TYPE, "target_datatype is not a committed datatype; call MPI_Type_commit first");
    return error ? error : epoch_check(win, rank);
}

int target_find(struct win *win, int rank, MPI_Aint disp, MPI_Count count, struct datatype *type,
                struct target *target)
{
    int error;

    *target = (struct target){.win = win, .rank = rank, .count = count, .type = type};
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    win_note_stores(win);
    error = check_target(win, rank, type);
    return error ? error : locate(target, disp);
}

/* The target may have ended: soon this process learns of it, or ends too. */
static int refuse_access(const struct target *t)
{
    int error = control_find_loss(t->win, MPI_SUCCESS);

    return error ? error : fail(MPI_ERR_OTHER, "the memory of rank %d cannot be accessed any more", t->rank);
}

/* Where bytes [at, end) of the message lie at the target, as far as NET_PIECES pieces reach, and how many bytes that is.
 * Returns how many pieces. */
static int target_pieces(const struct target *t, size_t at, size_t end, struct iovec *piece, size_t *bytes)
{
    void *base = (void *)(uintptr_t)t->address; /* of another process: never looked at */
    size_t start = at;
    int n = 0;

    while (at < end && n < NET_PIECES) {
        struct runs r = target_runs(t, base, at, end);

        for (; r.count && at < end && n < NET_PIECES; r.count--) {
            piece[n] = (struct iovec){r.at, (size_t)r.bytes < end - at ? (size_t)r.bytes : end - at};
            at += piece[n++].iov_len;
            r.at = layout_at(r.at, r.stride);
        }
    }
    *bytes = at - start;
    return n;
}

/* Reads runs with small gaps as one piece of memory, which is all part of the window, and keeps what belongs to the
 * message. Returns how many bytes of it that is, from byte `at` on; 0: the runs are better read one by one. */
static size_t get_across_gaps(const struct target *t, struct peer *peer, size_t at, size_t end, char *packed)
{
    struct runs r = target_runs(t, (void *)(uintptr_t)t->address, at, end);
    MPI_Count count = (MPI_Count)(end - at) / r.bytes, most;
    char read[READ_BYTES];

    if (r.stride < r.bytes || r.stride > GAP_MOST)
        return 0;
    most = (READ_BYTES - r.bytes) / r.stride + 1;
    count = count < r.count ? count : r.count;
    count = count < most ? count : most;
    if (count < 2 ||
        !net_get(peer, read, (uint64_t)(uintptr_t)r.at, (size_t)((count - 1) * r.stride + r.bytes)))
        return 0;
    for (MPI_Count i = 0; i < count; i++)
        memcpy(packed + i * r.bytes, read + i * r.stride, (size_t)r.bytes);
    return (size_t)(count * r.bytes);
}

int target_copy(const struct target *t, bool is_put, void *packed, size_t bytes)
{
    struct iovec piece[NET_PIECES];
    size_t at = 0, n;
    struct peer *peer;
    bool is_fine;

    lane_take(&lanes[0]);
    peer = net_peer(0, t->win->comm->process[t->rank]);
    is_fine = peer != NULL;
    for (; at < bytes && is_fine; at += n) {
        int pieces;

        n = is_put ? 0 : get_across_gaps(t, peer, at, bytes, (char *)packed + at);
        if (n)
            continue;
        pieces = target_pieces(t, at, bytes, piece, &n);
        is_fine = net_copy_pieces(peer, is_put, (char *)packed + at, n, piece, pieces);
    }
    lane_release(&lanes[0]);
    return is_fine ? MPI_SUCCESS : refuse_access(t);
}
