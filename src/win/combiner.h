/* combiner: combines data with window memory, atomically for each element (MPI-5.0 section 12.3.4).
 *
 * Two mechanisms. Which one serves an element depends only on where it lies, its type, and hints that are the
 * same on all ranks, so every operation on the element, of any rank, takes the same one:
 *
 *     atomic    one atomic instruction, or a loop of compare-and-swap. For elements of 8 bytes
 *               that are aligned, in memory that all processes that combine there map: integers, unless
 *               mpi_accumulate_granularity is above 8; and replacements of any type under
 *               accumulate_ops=same_op. For other types the lock takes no longer than a loop of compare-and-swap,
 *               and for several elements a part of that
 *     lock      win_control.combiner of the target, held while all elements of an operation are combined. Every
 *               operation on elements of 1, 2 or 4 bytes takes it, also of one element: that takes 2 ns more, and an instruction for
 *               each of many takes up to 300 times as long as a loop over vectors. Programs also move whole objects as MPI_BYTE,
 *               which no process may see in parts, wherever they lie
 *
 * Memory that the others do not map is combined under the lock as well, by copies (net_get, net_put). Where some rank
 * could not map what others map (win.lacks_mappings), all operations on the window take the lock.
 */
#ifndef WIN_COMBINER_H
#define WIN_COMBINER_H

#include "metric/metric.h"
#include "op/op.h"
#include "win/target.h"

#include <string.h>

/* What is combined with the target's memory. Data and result are packed: bytes of a message of the basic
 * type, with as many items as the target has. */
struct combination {
    struct target target;
    struct datatype *basic; /* of all its elements */
    const struct op *op;
    const unsigned char *data; /* NULL for MPI_NO_OP */
    unsigned char *result;     /* gets what was there before; NULL: not wanted */
    size_t bytes;
};

enum {
    COMBINER_ATOMIC_BYTES = 8 /* bytes of an element that the processor combines */
};

/* Whether all accumulates take the lock, so that vectors are combined as a whole. */
static inline bool combiner_is_coarse(const struct win *win)
{
    return hint_value(&win->hints, HINT_ACCUMULATE_GRANULARITY) > COMBINER_ATOMIC_BYTES;
}

static inline bool combiner_is_integer(const struct datatype *basic)
{
    return (basic->representation >= REP_I8 && basic->representation <= REP_U64) ||
           basic->representation == REP_NONE;
}

/* Whether instructions combine elements of a type that are aligned, whatever the hints promise. */
static inline bool combiner_has_instruction(const struct datatype *basic)
{
    return combiner_is_integer(basic) && basic->size == COMBINER_ATOMIC_BYTES;
}

/* Where this process combines one item of an integer type, by an instruction or, if it has fewer than 8 bytes, under the lock, if an
 * epoch is open that needs no note and no tool wants counts; NULL: ask combiner_apply. The commonest operations need no other
 * check of their target. */
static inline void *combiner_find(struct win *win, int rank, MPI_Aint disp, const struct datatype *type)
{
    size_t size = (size_t)type->size;
    unsigned char *at;

    if (type->basic != type || !combiner_is_integer(type) || !type->dense || size > COMBINER_ATOMIC_BYTES ||
        combiner_is_coarse(win) || win->lacks_mappings || metric_watches_frequent() ||
        kind_set_has_device(hint_buffer_kinds(&win->hints)))
        return NULL;
    at = target_mapped(win, rank, disp, size);
    return (uintptr_t)at & (size - 1) || (rank == win->rank && !win->is_exposed) ? NULL : at;
}

/* The commonest of all: a sum of 8-byte integers. Returns what was there. */
static inline uint64_t combiner_add(void *at, const void *data)
{
    uint64_t word;

    memcpy(&word, data, 8);
    return __atomic_fetch_add((uint64_t *)at, word, __ATOMIC_SEQ_CST);
}

/* Combine what combiner_find has found. data NULL: nothing; result NULL: what was there is not wanted. An error is the loss of
 * the process that held the lock. */
int combiner_fetch(struct win *win, int rank, void *at, const struct op *op, struct datatype *type,
                   const void *data, void *result);
int combiner_exchange(struct win *win, int rank, void *at, const struct datatype *type, const void *data,
                      const void *compare, void *result);

int combiner_apply(const struct combination *c);
/* One element: if it equals `compare` it becomes c->data. c->result gets what was there. */
int combiner_swap(const struct combination *c, const void *compare);

#endif
