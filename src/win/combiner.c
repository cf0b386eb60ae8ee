#include "win/combiner.h"

#include "base/thread.h"
#include "plain/fail.h"
#include "progress/progress.h"
#include "win/attachment.h"
#include "win/control.h"

#include <sched.h>
#include <stdlib.h>

enum {
    PIECE_BYTES = 4096, /* the smallest page */
    SPINS = 128,        /* rounds of a wait for the lock before it yields */
    LOST_ROUNDS = 512   /* of these, until it asks whether the holder lives */
};

/* Whether only replacements meet: under same_op, whatever the type, no sum needs what another has stored. */
static bool is_replaced_only(const struct combination *c)
{
    return c->op && c->op->code == OP_REPLACE &&
           hint_value(&c->target.win->hints, HINT_ACCUMULATE_OPS) == ACCUMULATE_SAME_OP;
}

/* Whether atomic instructions of all who combine there could combine an element at this address. */
static bool fits_instruction(const struct combination *c, const void *at)
{
    size_t size = (size_t)c->basic->size;

    return c->target.is_shared && !c->target.win->lacks_mappings && size == COMBINER_ATOMIC_BYTES &&
           c->basic->dense && ((uintptr_t)at & (size - 1)) == 0;
}

/* Whether they do. */
static bool is_atomic(const struct combination *c, const void *at)
{
    return !combiner_is_coarse(c->target.win) && (combiner_is_integer(c->basic) || is_replaced_only(c)) &&
           fits_instruction(c, at);
}

/* Counts an operation on mapped memory that hints spared the lock, or made take it. */
static void count_effect(const struct combination *c, bool is_locked)
{
    struct win *win = c->target.win;

    if (is_locked != combiner_has_instruction(c->basic) || !c->bytes)
        return;
    /* relaxed: numbers to report */
    if (!is_locked)
        atomic_fetch_add_explicit(&win->spared_locks, 1, memory_order_relaxed);
    else if (combiner_is_coarse(win) && fits_instruction(c, c->target.at))
        atomic_fetch_add_explicit(&win->coarse_locks, 1, memory_order_relaxed);
}

/* Who holds the lock is soon done, but may have lost its core, or its life. */
static int combiner_take(struct win *win, int rank)
{
    _Atomic uint32_t *combiner = &win_control_of(win, rank)->combiner;
    uint32_t mine = (uint32_t)win->rank + 1, seen = 0;

    /* acquire: pairs with the release in combiner_give */
    for (int i = 1; !atomic_compare_exchange_weak_explicit(combiner, &seen, mine, memory_order_acquire,
                                                           memory_order_relaxed);
         i++, seen = 0) {
        int error = i % LOST_ROUNDS ? MPI_SUCCESS : control_look_for_losses(win);

        if (error)
            return error;
        if (i < SPINS)
            thread_relax();
        else
            sched_yield();
    }
    return MPI_SUCCESS;
}

static void combiner_give(struct win *win, int rank)
{
    atomic_store_explicit(&win_control_of(win, rank)->combiner, 0, memory_order_release);
}

/* What one instruction does. False: it does not. `seen` gets the old value. */
static inline bool add_or_replace(const struct op *op, const struct datatype *basic, uint64_t *at,
                                  const void *data, uint64_t *seen)
{
    bool is_sum = op->code == OP_SUM && combiner_is_integer(basic);
    uint64_t word;

    if (!is_sum && op->code != OP_REPLACE)
        return false;
    memcpy(&word, data, sizeof word);
    *seen = is_sum ? __atomic_fetch_add(at, word, __ATOMIC_SEQ_CST)
                   : __atomic_exchange_n(at, word, __ATOMIC_SEQ_CST);
    return true;
}

/* Combines one element; `seen` gets what was there. data NULL: nothing is combined. */
static inline void combine_element(const struct op *op, struct datatype *basic, void *at, const void *data,
                                   uint64_t *seen)
{
    uint64_t next;

    if (data && add_or_replace(op, basic, at, data, seen))
        return;
    *seen = __atomic_load_n((uint64_t *)at, __ATOMIC_SEQ_CST);
    do {
        if (!data)
            return;
        next = *seen;
        op_apply(op, data, &next, 1, basic);
    } while (
        !__atomic_compare_exchange_n((uint64_t *)at, seen, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}

/* Stores 8-byte elements, each at once. */
static void store_words(uint64_t *at, const unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes / 8; i++) {
        uint64_t word;

        memcpy(&word, data + 8 * i, 8);
        __atomic_store_n(&at[i], word, __ATOMIC_RELAXED); /* the calls that end epochs are fences */
    }
}

/* `bytes` bytes of adjacent elements. */
static void combine_atomically(const struct combination *c, unsigned char *at, size_t from, size_t bytes)
{
    size_t size = (size_t)c->basic->size;
    uint64_t seen = 0;

    if (c->op->code == OP_REPLACE && !c->result) {
        store_words((uint64_t *)(void *)at, c->data + from, bytes);
        return;
    }
    for (size_t i = 0; i < bytes; i += size) {
        combine_element(c->op, c->basic, at + i, c->data ? c->data + from + i : NULL, &seen);
        if (c->result)
            memcpy(c->result + from + i, &seen, size);
    }
}

static void combine_locked(const struct combination *c, unsigned char *at, size_t from, size_t bytes)
{
    if (c->result)
        memcpy(c->result + from, at, bytes);
    if (c->data)
        op_apply(c->op, c->data + from, at, (MPI_Count)bytes / c->basic->size, c->basic);
}

/* The run of the target at byte `from` of the data, of mapped elements without gaps. Takes the lock once. */
static int combine_run(const struct combination *c, unsigned char *at, size_t from, size_t bytes,
                       bool *locked)
{
    int error;

    if (is_atomic(c, at)) {
        combine_atomically(c, at, from, bytes);
        return MPI_SUCCESS;
    }
    error = *locked ? MPI_SUCCESS : combiner_take(c->target.win, c->target.rank);
    if (error)
        return error;
    *locked = true;
    combine_locked(c, at, from, bytes);
    return MPI_SUCCESS;
}

static int combine_runs(const struct combination *c)
{
    const struct target *t = &c->target;
    bool locked = false;
    int error = MPI_SUCCESS;

    for (size_t done = 0; done < c->bytes && !error;) {
        struct runs r = target_runs(t, t->at, done, c->bytes);

        for (MPI_Count i = 0; i < r.count && done < c->bytes && !error; i++) {
            size_t n = (size_t)r.bytes < c->bytes - done ? (size_t)r.bytes : c->bytes - done;

            error = combine_run(c, (unsigned char *)r.at + i * r.stride, done, n, &locked);
            done += n;
        }
    }
    if (locked)
        combiner_give(t->win, t->rank);
    count_effect(c, locked);
    return error;
}

static int fetch_packed(const struct target *t, void *packed, size_t bytes)
{
    if (!t->is_mapped)
        return target_copy(t, false, packed, bytes);
    datatype_pack(t->type, t->at, 0, packed, bytes);
    return MPI_SUCCESS;
}

static int store_packed(const struct target *t, const void *packed, size_t bytes)
{
    if (!t->is_mapped)
        return target_copy(t, true, (void *)(uintptr_t)packed, bytes);
    datatype_unpack(t->type, t->at, 0, packed, bytes);
    return MPI_SUCCESS;
}

/* op_apply on packed data, whose items may have gaps in memory. `room` holds them twice. */
static void apply_packed(const struct combination *c, unsigned char *packed, unsigned char *room)
{
    MPI_Count count = (MPI_Count)c->bytes / c->basic->size;
    unsigned char *there = room, *here = room + count * c->basic->extent;

    datatype_unpack(c->basic, there, 0, packed, c->bytes);
    datatype_unpack(c->basic, here, 0, c->data, c->bytes);
    op_apply(c->op, here, there, count, c->basic);
    datatype_pack(c->basic, there, 0, packed, c->bytes);
}

/* Elements with gaps, or that this process does not map: in a copy, under the lock. */
static int combine_copy(const struct combination *c)
{
    size_t items = c->bytes / (size_t)c->basic->size * (size_t)c->basic->extent;
    unsigned char *packed = malloc(c->bytes + 16 + 2 * items);
    int error = packed ? combiner_take(c->target.win, c->target.rank)
                       : fail(MPI_ERR_NO_MEM, "no memory to combine %zu bytes", c->bytes);

    if (error) {
        free(packed);
        return error;
    }
    error = fetch_packed(&c->target, packed, c->bytes);
    if (!error && c->result)
        memcpy(c->result, packed, c->bytes);
    if (!error && c->data) {
        apply_packed(c, packed, packed + (c->bytes + 15) / 16 * 16);
        error = store_packed(&c->target, packed, c->bytes);
    }
    combiner_give(c->target.win, c->target.rank);
    free(packed);
    return error;
}

/* The commonest: one element, by an atomic instruction. */
static bool combine_one(const struct combination *c)
{
    const struct target *t = &c->target;
    uint64_t seen = 0;

    if (c->bytes != (size_t)c->basic->size || !t->type->dense || !t->is_mapped || !is_atomic(c, t->at))
        return false;
    combine_element(c->op, c->basic, t->at, c->data, &seen);
    if (c->result)
        memcpy(c->result, &seen, c->bytes);
    count_effect(c, false);
    return true;
}

/* Constant lengths are one instruction each. */
static inline void copy_element(void *to, const void *from, MPI_Count size)
{
    if (size == 8)
        memcpy(to, from, 8);
    else if (size == 4)
        memcpy(to, from, 4);
    else if (size == 2)
        memcpy(to, from, 2);
    else
        memcpy(to, from, 1);
}

/* One element of 1, 2 or 4 bytes. */
static inline void combine_narrow(const struct op *op, struct datatype *type, void *at, const void *data)
{
    uint64_t a = 0, b = 0; /* a carry out of the element leaves its bytes */

    if (op->code == OP_REPLACE) {
        copy_element(at, data, type->size);
    } else if (op->code != OP_SUM) {
        op_apply(op, data, at, 1, type);
    } else {
        copy_element(&a, at, type->size);
        copy_element(&b, data, type->size);
        a += b;
        copy_element(at, &a, type->size);
    }
}

int combiner_fetch(struct win *win, int rank, void *at, const struct op *op, struct datatype *type,
                   const void *data, void *result)
{
    uint64_t seen = 0;
    int error;

    if (__builtin_expect(type->size == COMBINER_ATOMIC_BYTES, 1)) {
        combine_element(op, type, at, data, &seen);
        if (result)
            copy_element(result, &seen, type->size);
        return MPI_SUCCESS;
    }
    error = combiner_take(win, rank);
    if (error)
        return error;
    win_note_stores(win);
    copy_element(&seen, at, type->size); /* `result` may be the window's own memory */
    if (data)
        combine_narrow(op, type, at, data);
    combiner_give(win, rank);
    if (result)
        copy_element(result, &seen, type->size);
    return MPI_SUCCESS;
}

int combiner_exchange(struct win *win, int rank, void *at, const struct datatype *type, const void *data,
                      const void *compare, void *result)
{
    uint64_t seen = 0, next = 0, expected = 0;
    int error;

    copy_element(&expected, compare, type->size);
    copy_element(&next, data, type->size);
    if (__builtin_expect(type->size == COMBINER_ATOMIC_BYTES, 1)) {
        __atomic_compare_exchange_n((uint64_t *)at, &expected, next, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
        copy_element(result, &expected, type->size);
        return MPI_SUCCESS;
    }
    error = combiner_take(win, rank);
    if (error)
        return error;
    win_note_stores(win);
    copy_element(&seen, at, type->size);
    if (seen == expected)
        copy_element(at, &next, type->size);
    combiner_give(win, rank);
    copy_element(result, &seen, type->size);
    return MPI_SUCCESS;
}

/* Elements that lie in several attachments, each piece as it alone would be. Memory that others map, where instructions
 * combine elements that are aligned, is whole pages, so no such element is in two pieces. */
static int combine_pieces(const struct combination *c)
{
    size_t size = (size_t)c->basic->size;
    int error = MPI_SUCCESS;

    for (size_t done = 0, n; done < c->bytes && !error; done += n) {
        struct runs r = target_runs(&c->target, (void *)(uintptr_t)c->target.address, done, c->bytes);
        size_t run = (size_t)r.bytes < c->bytes - done ? (size_t)r.bytes : c->bytes - done,
               page = PIECE_BYTES - (uintptr_t)r.at % PIECE_BYTES;
        struct combination piece = *c;

        n = page < size ? size : page < run ? page / size * size : run;
        piece.target.type = c->basic;
        piece.target.count = (MPI_Count)(n / size);
        piece.target.address = (uint64_t)(uintptr_t)r.at;
        attachment_find_part(&piece.target, n);
        piece.data = c->data ? c->data + done : NULL;
        piece.result = c->result ? c->result + done : NULL;
        piece.bytes = n;
        error = combiner_apply(&piece);
    }
    return error;
}

/* Whether some elements may be combined by instructions and others under the lock. */
static bool is_mixed(const struct combination *c)
{
    return c->target.is_apart && c->basic->dense && c->basic->size == COMBINER_ATOMIC_BYTES &&
           !combiner_is_coarse(c->target.win) && (combiner_is_integer(c->basic) || is_replaced_only(c));
}

int combiner_apply(const struct combination *c)
{
    if (combine_one(c))
        return MPI_SUCCESS;
    if (is_mixed(c))
        return combine_pieces(c);
    return c->target.is_mapped && c->basic->dense ? combine_runs(c) : combine_copy(c);
}

int combiner_swap(const struct combination *c, const void *compare)
{
    const struct target *t = &c->target;
    int error;

    if (t->is_mapped && is_atomic(c, t->at))
        return combiner_exchange(t->win, t->rank, t->at, c->basic, c->data, compare, c->result);
    error = combiner_take(t->win, t->rank);
    if (error)
        return error;
    if (t->is_mapped)
        count_effect(c, true);
    error = fetch_packed(t, c->result, c->bytes);
    if (!error && memcmp(c->result, compare, c->bytes) == 0)
        error = store_packed(t, c->data, c->bytes);
    combiner_give(t->win, t->rank);
    return error;
}
