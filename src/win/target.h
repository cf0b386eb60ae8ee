/* target: the memory that an RMA operation accesses (MPI-5.0 section 12.3). Finding it checks rank, epoch and
 * range. */
#ifndef WIN_TARGET_H
#define WIN_TARGET_H

#include "datatype/datatype.h"
#include "net/net.h"
#include "win/epoch.h"

/* What an operation accesses on a rank. */
struct target {
    struct win *win;
    int rank; /* MPI_PROC_NULL: there is nothing to do */
    MPI_Count count;
    struct datatype *type;
    unsigned char *at; /* item 0 as this process maps it; may be NULL, as MPI_BOTTOM */
    uint64_t address;  /* item 0 in the target's memory */
    bool is_mapped;    /* `at` says where this process loads and stores all of it */
    bool is_shared;    /* others may map it too: all processes that combine there see atomic instructions */
    bool is_apart;     /* some of it may be shared, and some not: it lies in several attachments */
    bool by_message;   /* the agent of the target does it */
};

int target_find(struct win *win, int rank, MPI_Aint disp, MPI_Count count, struct datatype *type,
                struct target *target);

/* Where this process loads and stores `bytes` bytes of a rank, if they are mapped and an epoch is open; NULL: target_find tells. Wrong arguments are NULL too, so the commonest operations need no other check. */
static inline unsigned char *target_mapped(struct win *win, int rank, MPI_Aint disp, size_t bytes)
{
    struct win_segment s;
    size_t offset, end;

    if ((unsigned)rank >= (unsigned)win->size || !epoch_is_open(win, rank))
        return NULL;
    s = win_segment_of(win, rank);
    /* a negative displacement is beyond every segment */
    if (!s.at || __builtin_mul_overflow((size_t)disp, (size_t)s.unit, &offset) ||
        __builtin_add_overflow(offset, bytes, &end) || end > (size_t)s.bytes)
        return NULL;
    return s.at + offset;
}

/* Runs of the target's data from byte `from` on, of `bytes` bytes in all, in the memory that begins at `base`. */
static inline struct runs target_runs(const struct target *t, const void *base, size_t from, size_t bytes)
{
    if (t->type->dense)
        return (struct runs){(char *)(uintptr_t)base + from, (MPI_Count)(bytes - from), 1, 0};
    return layout_runs(&t->type->items, base, (MPI_Count)from);
}

/* Copies between packed data and the first bytes of the items at `address` in the memory of another process of this
 * host; is_put: to there. The caller holds no lane. */
int target_copy(const struct target *t, bool is_put, void *packed, size_t bytes);

#endif
