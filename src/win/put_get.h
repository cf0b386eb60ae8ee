/* put_get: bodies of MPI_Put and MPI_Get and of MPI_Rput and MPI_Rget (MPI-5.0 sections 12.3.1, 12.3.2 and
 * 12.3.5). `request` is NULL where none is wanted. Each takes the path that win.h describes; on the first two
 * the operation is complete when the call returns. */
#ifndef WIN_PUT_GET_H
#define WIN_PUT_GET_H

#include "base/copy.h"
#include "metric/metric.h"
#include "request/request.h"
#include "win/target.h"

/* Either, whatever the arguments are like. */
int put_get_any(const struct user_buffer *origin, int rank, MPI_Aint disp, MPI_Count count,
                struct datatype *type, struct win *win, bool is_put, struct request **request);

/* Where this process copies the items of a call whose both sides are the same data without gaps, where no tool wants
 * counts and no device is involved; *bytes of them, not none. NULL: ask put_get_any. The origin's side has been checked. */
static inline unsigned char *put_get_find(struct win *win, MPI_Count origin_count,
                                          const struct datatype *origin_type, int rank, MPI_Aint disp,
                                          MPI_Count count, const struct datatype *type, size_t *bytes)
{
    if (origin_type != type || origin_count != count || !type->dense || metric_watches_frequent() ||
        kind_set_has_device(hint_buffer_kinds(&win->hints)))
        return NULL;
    if (__builtin_mul_overflow((size_t)count, (size_t)type->size, bytes) || !*bytes)
        return NULL;
    return target_mapped(win, rank, disp, *bytes);
}

/* Inline, so that a word crosses few instructions, and each of the two has its own without the questions. */
static inline __attribute__((always_inline)) int
put_get(void *origin, MPI_Count origin_count, struct datatype *origin_type, int rank, MPI_Aint disp,
        MPI_Count count, struct datatype *type, struct win *win, bool is_put, struct request **request)
{
    size_t bytes;
    unsigned char *at =
        request ? NULL : put_get_find(win, origin_count, origin_type, rank, disp, count, type, &bytes);

    if (__builtin_expect(!at, 0))
        return put_get_any(&(struct user_buffer){origin, origin_count, origin_type}, rank, disp, count, type,
                           win, is_put, request);
    epoch_note_access(win);
    if (is_put)
        win_note_stores(win);
    copy_bytes(is_put ? at : origin, is_put ? origin : at, bytes);
    return MPI_SUCCESS;
}

static inline int win_put(const void *origin, MPI_Count origin_count, struct datatype *origin_type, int rank,
                          MPI_Aint disp, MPI_Count target_count, struct datatype *target_type,
                          struct win *win, struct request **request)
{
    return put_get((void *)(uintptr_t)origin, origin_count, origin_type, rank, disp, target_count,
                   target_type, win, true, request);
}

static inline int win_get(void *origin, MPI_Count origin_count, struct datatype *origin_type, int rank,
                          MPI_Aint disp, MPI_Count target_count, struct datatype *target_type,
                          struct win *win, struct request **request)
{
    return put_get(origin, origin_count, origin_type, rank, disp, target_count, target_type, win, false,
                   request);
}

#endif
