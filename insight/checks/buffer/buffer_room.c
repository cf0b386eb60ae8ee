#include "insight/checks/buffer/buffer_room.h"

#include "insight/findings/finding.h"
#include "insight/memory/heap_blocks.h"
#include "insight/memory/mpi_memory.h"
#include "insight/memory/stack_frame.h"
#include "insight/objects/type_check.h"

#include <stddef.h>

enum {
    RUNS = 64,   /* of an element with gaps */
    NEAR = 4096, /* bytes behind a block that another one need not begin in */
    KNOWN = 256  /* buffers on the stack that were looked at */
};

static void say_short(struct intercept *call, uintptr_t low, uintptr_t high, uintptr_t end, const char *what)
{
    finding_add(&(struct finding_about){.class = FINDING_BUFFER,
                                        .call = call,
                                        .fix = "give a buffer with room for count elements of the datatype"},
                "%s: the buffer at 0x%llx is %lld bytes long by count and datatype, but %s ends after %lld",
                call->procedure->name, (unsigned long long)low, (long long)(high - low), what,
                (long long)(end - low));
}

/* Unwinding takes microseconds: the same buffer of one call is looked at once. */
static bool is_known(const struct intercept *call, uintptr_t low, uintptr_t high)
{
    static struct {
        void *site;
        uintptr_t low, high;
    } known[KNOWN];
    size_t at = ((uintptr_t)call->site * 31 + low + high * 7) % KNOWN;

    if (known[at].site == call->site && known[at].low == low && known[at].high == high)
        return true;
    known[at].site = call->site;
    known[at].low = low;
    known[at].high = high;
    return false;
}

/* False: there is room, or nothing is known. */
static bool is_short(struct intercept *call, uintptr_t low, uintptr_t high)
{
    uintptr_t start, end;
    struct stack_frame frame;

    if (stack_frame_is_above(low)) {
        if (is_known(call, low, high))
            return false;
        if (stack_frame_find(low, &frame)) {
            if (high > frame.end)
                say_short(call, low, high, frame.end, "the memory of its function's variables");
            return high > frame.end;
        }
    }
    if (!heap_blocks_find(low, &start, &end) && !mpi_memory_find_allocated(low, &end))
        return false;
    if (high > end)
        say_short(call, low, high, end, "its block of memory");
    return high > end;
}

/* A run of a type with gaps that begins behind the buffer's block, and in no other: displacements may lead from one variable to
 * another, as programs do although only those of MPI_BOTTOM may. */
static bool is_behind(struct intercept *call, const void *buffer, uintptr_t low, uintptr_t high)
{
    uintptr_t start, end, other;

    if (!heap_blocks_find((uintptr_t)buffer, &start, &end) || low < end || low >= end + NEAR ||
        heap_blocks_find(low, &start, &other))
        return false;
    say_short(call, (uintptr_t)buffer, high, end, "its block of memory");
    return true;
}

void buffer_room_check(struct intercept *call, const void *buffer, int64_t count, MPI_Datatype type)
{
    const struct type_record *t = buffer != MPI_IN_PLACE && count > 0 ? type_check_find(type) : NULL;
    uintptr_t at = (uintptr_t)buffer;

    if (!t || t->runs <= 0 || t->extent < 0 || call->is_reported)
        return;
    if (t->is_dense) {
        is_short(call, at + (uintptr_t)t->run[0].offset,
                 at + (uintptr_t)(t->run[0].offset + count * t->extent));
        return;
    }
    at += (uintptr_t)((count - 1) * t->extent); /* the last element */
    for (int i = 0; i < t->runs && i < RUNS; i++) {
        uintptr_t low = at + (uintptr_t)t->run[i].offset, high = low + (uintptr_t)t->run[i].length;

        if (is_short(call, low, high) || is_behind(call, buffer, low, high))
            return;
    }
}
