#include "insight/checks/buffer/buffer_use.h"

#include "insight/call/intercept.h"
#include "insight/checks/access/win_conflict.h"
#include "insight/findings/finding.h"
#include "insight/memory/memory_use.h"
#include "insight/objects/collective_buffers.h"
#include "insight/objects/request_record.h"
#include "insight/objects/type_check.h"
#include "insight/objects/win_record.h"

#include <insight/checks.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Whether a call's buffer is as long as its count says (MPI-5.0 section 3.2: the buffer has room for all elements, also
 * where fewer arrive).
 *
 * Known are blocks of the heap, memory of MPI_Alloc_mem, and variables of functions: these must end before the address that their
 * function returns to.
 */

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
__attribute__((noinline)) static bool is_short(struct intercept *call, uintptr_t low, uintptr_t high)
{
    uintptr_t start, end;
    struct stack_frame frame;

    if (heap_blocks_have(low, high))
        return false;
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

/* Of a buffer with gaps the last element is looked at. By value, as what is rare takes buffers here: so others stay in registers. */
__attribute__((noinline)) static void look_at_runs(struct intercept *call, struct typed_buffer b)
{
    const struct type_record *t = b.record;
    uintptr_t at = (uintptr_t)b.start + (uintptr_t)((b.count - 1) * t->extent);

    for (int i = 0; i < t->runs && i < RUNS; i++) {
        uintptr_t low = at + (uintptr_t)t->run[i].offset, high = low + (uintptr_t)t->run[i].length;

        if (is_short(call, low, high) || is_behind(call, b.start, low, high))
            return;
    }
}

/* Of memory below the heap that is on no stack, such as the program's own data, nothing is known. */
static inline bool is_unknown(uintptr_t low)
{
    return heap_blocks_begin_above(low) && !stack_frame_is_above(low) && !mpi_memory_is_there();
}

static inline void look_for_room(struct intercept *call, const struct typed_buffer *b)
{
    if (!b->high || call->is_reported)
        return;
    if (!b->is_dense && b->record->runs > 0)
        look_at_runs(call, *b);
    else if (b->is_dense && !is_unknown(b->low) && !heap_blocks_have(b->low, b->high))
        is_short(call, b->low, b->high);
}

static void buffer_room_check(struct intercept *call, const void *buffer, int64_t count, MPI_Datatype type)
{
    struct typed_buffer b = type_check_buffer(buffer, count, type);

    look_for_room(call, &b);
}

enum {
    ACTIVE_LIMIT = 512 /* operations with memory in parts that a buffer is compared with */
};

/* Names of what was posted there. */
static void say_overlap(struct intercept *call, struct request_record *other, bool is_written)
{
    other->is_blamed = true; /* that its buffer changes is no second fault */
    finding_add(&(struct finding_about){.class = FINDING_BUFFER,
                                        .call = call,
                                        .made = other->base.site,
                                        .made_by = "the operation under way",
                                        .fix = "complete it first, or use another buffer"},
                "%s %s memory that %s, which is not complete, %s", call->procedure->name,
                is_written ? "writes" : "reads", other->base.maker->name,
                other->is_written ? "writes" : "reads");
}

/* A buffer that is compared with those under way. */
struct use {
    const struct typed_buffer *buffer;
    const struct request_record *self;
};

static bool meets_use(const struct span *span, const void *with)
{
    const struct request_record *r = span->of;
    const struct use *use = with;

    return r != use->self && r->buffer &&
           type_check_overlap(use->buffer->start, use->buffer->count, use->buffer->type, r->buffer, r->count,
                              r->type);
}

/* Of those that have their memory in parts; NULL: none. */
static struct request_record *find_parted(const struct use *use, bool is_written)
{
    const struct typed_buffer *b = use->buffer;
    int left = request_memory_parted < ACTIVE_LIMIT ? request_memory_parted : ACTIVE_LIMIT;

    for (struct request_record *r = request_check_active(); r && left > 0; r = r->next) {
        left -= r->received_blocks || r->partitions;
        if (r == use->self || !(is_written || r->is_written))
            continue;
        if (blocks_find_overlap(r->received_blocks, b->start, b->count, b->type) >= 0 ||
            (r->partitions &&
             request_partition_overlap(r->partitions, b->start, b->count, b->type, is_written) >= 0))
            return r;
    }
    return NULL;
}

__attribute__((noinline)) static void compare_with_those(struct intercept *call, struct typed_buffer b,
                                                         bool is_written, const struct request_record *self)
{
    struct use use = {&b, self};
    struct request_record *r = NULL;

    if (request_memory_parted > 0)
        r = find_parted(&use, is_written);
    if (!r)
        r = request_memory_meeting(b.low, b.high, is_written, meets_use, &use);
    if (r)
        say_overlap(call, r, is_written);
}

static inline void compare_with_active(struct intercept *call, const struct typed_buffer *b, bool is_written,
                                       const struct request_record *self)
{
    if (b->high && request_memory_may_meet(b->low, b->high, is_written))
        compare_with_those(call, *b, is_written, self);
}

void buffer_use_compare(struct intercept *call, const void *buffer, int64_t count, MPI_Datatype type,
                        bool is_written, const struct request_record *self)
{
    struct typed_buffer b = type_check_buffer(buffer, count, type);

    compare_with_active(call, &b, is_written, self);
}

void buffer_use_look(struct intercept *call, const struct typed_buffer *b, bool is_written)
{
    look_for_room(call, b);
    compare_with_active(call, b, is_written, NULL);
}

void buffer_use_buffer(struct intercept *call, enum role buffer, enum role count, enum role type,
                       bool is_written)
{
    enum role peer = is_written ? AT_SOURCE : AT_DEST;
    struct typed_buffer b =
        type_check_buffer((void *)(intptr_t)intercept_argument(call, buffer), intercept_argument(call, count),
                          (MPI_Datatype)(intptr_t)intercept_argument(call, type));

    if (!intercept_has(call, peer) || intercept_argument(call, peer) != MPI_PROC_NULL)
        buffer_use_look(call, &b, is_written);
}

void buffer_use_window(struct intercept *call, enum role buffer, enum role count, enum role type,
                       bool is_written)
{
    enum role peer = is_written ? AT_SOURCE : AT_DEST;

    if (win_check_windows() && intercept_argument(call, peer) != MPI_PROC_NULL)
        win_check_local(call, (void *)(intptr_t)intercept_argument(call, buffer),
                        intercept_argument(call, count),
                        (MPI_Datatype)(intptr_t)intercept_argument(call, type), is_written);
}

struct origin_buffers buffer_use_of_access(const struct intercept *call)
{
    const void *buffer = (void *)(intptr_t)intercept_argument(call, AT_BUF);
    MPI_Datatype type = (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE);
    int64_t count = intercept_has(call, AT_COUNT) ? intercept_argument(call, AT_COUNT) : 1;
    bool is_get = !intercept_has(call, AT_RESULT) && win_check_fetches(call);
    struct origin_buffers b = {0};

    if (intercept_argument(call, AT_TARGET) == MPI_PROC_NULL)
        return b;
    if (is_get)
        b = (struct origin_buffers){.got = buffer, .got_count = count, .got_type = type};
    else if (!intercept_has(call, AT_OP) || intercept_argument(call, AT_OP) != (intptr_t)MPI_NO_OP)
        b = (struct origin_buffers){.given = buffer, .given_count = count, .given_type = type};
    if (intercept_has(call, AT_RESULT)) {
        b.got = (void *)(intptr_t)intercept_argument(call, AT_RESULT);
        b.got_count = intercept_has(call, AT_RESULT_COUNT) ? intercept_argument(call, AT_RESULT_COUNT) : 1;
        b.got_type = intercept_has(call, AT_RESULT_TYPE)
                         ? (MPI_Datatype)(intptr_t)intercept_argument(call, AT_RESULT_TYPE)
                         : type;
    }
    return b;
}

void buffer_use_access(struct intercept *call)
{
    struct origin_buffers b = buffer_use_of_access(call);

    if (b.given && b.got &&
        type_check_overlap(b.given, b.given_count, b.given_type, b.got, b.got_count, b.got_type))
        finding_add(&(struct finding_about){.class = FINDING_BUFFER,
                                            .call = call,
                                            .fix = "give two buffers (MPI-5.0 section 12.3.4)"},
                    "the origin and result buffers of %s have bytes in common", call->procedure->name);
    buffer_room_check(call, b.given, b.given_count, b.given_type);
    buffer_room_check(call, b.got, b.got_count, b.got_type);
    if (request_check_active() && b.given)
        buffer_use_compare(call, b.given, b.given_count, b.given_type, false, NULL);
    if (request_check_active() && b.got)
        buffer_use_compare(call, b.got, b.got_count, b.got_type, true, NULL);
}

/* What MPI_Pack reads, and what it writes: from the position on. `packed` is the argument of the packed buffer, which its size and the
 * position follow, in one order or the other. */
static void compare_packed(struct intercept *call, const int64_t *packed, const void *position, bool is_pack)
{
    MPI_Datatype type = (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE);
    int64_t count = intercept_argument(call, AT_COUNT);
    struct type_signature all = type_check_signature(type, count);
    bool is_large = call->procedure->is_large || strstr(call->procedure->name, "external");

    if (!request_check_active() || !position)
        return;
    buffer_use_compare(call, (void *)(intptr_t)intercept_argument(call, AT_BUF), count, type, !is_pack, NULL);
    if (all.is_known && packed[0])
        buffer_use_compare(call,
                           (char *)(intptr_t)packed[0] +
                               (is_large ? *(const MPI_Aint *)position : *(const int *)position),
                           (int64_t)all.bytes, MPI_BYTE, is_pack, NULL);
}

void buffer_use_pack(struct intercept *call)
{
    const int64_t *packed = call->argument + call->procedure->at[AT_TYPE] + 1;

    compare_packed(call, packed, (void *)(intptr_t)packed[2], true);
}

void buffer_use_unpack(struct intercept *call)
{
    const int64_t *packed = call->argument + call->procedure->at[AT_BUF] - 3;

    compare_packed(call, packed, (void *)(intptr_t)packed[2], false);
}

void buffer_use_reduce_local(struct intercept *call)
{
    MPI_Datatype type = (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE);
    int64_t count = intercept_argument(call, AT_COUNT2);

    if (!request_check_active())
        return;
    buffer_use_compare(call, (void *)(intptr_t)intercept_argument(call, AT_BUF), count, type, false, NULL);
    buffer_use_compare(call, (void *)(intptr_t)intercept_argument(call, AT_BUF2), count, type, true, NULL);
}

static void look_for_room_of_blocks(struct intercept *call, const struct blocks *b)
{
    for (int i = 0; b && i < b->count; i++)
        buffer_room_check(call, b->block[i].buffer, b->block[i].count, b->block[i].type);
}

static void look_for_rooms(struct intercept *call, const struct comm_record *comm,
                           const struct blocks *received)
{
    struct blocks *sent = blocks_sent(call, comm);
    struct buffer_block one;

    if (blocks_sent_as_one(call, &one))
        buffer_room_check(call, one.buffer, one.count, one.type);
    if (blocks_written_as_one(call, &one))
        buffer_room_check(call, one.buffer, one.count, one.type);
    look_for_room_of_blocks(call, sent);
    look_for_room_of_blocks(call, received);
    free(sent);
}

void buffer_use_collective(struct intercept *call)
{
    struct comm_record *comm = comm_check_of(call);
    bool reads = comm && !collective_check_takes(call, comm); /* a broadcast's root */
    struct blocks *b = comm ? blocks_received(call, comm) : NULL;
    struct buffer_block w;

    if (comm)
        look_for_rooms(call, comm, b);
    if (request_check_active() && blocks_written_as_one(call, &w))
        buffer_use_compare(call, w.buffer, w.count, w.type, !reads, NULL);
    for (int i = 0; request_check_active() && b && i < b->count; i++)
        if (b->block[i].count > 0)
            buffer_use_compare(call, b->block[i].buffer, b->block[i].count, b->block[i].type, true, NULL);
    if (comm)
        buffer_overlap_collective(call, b);
    free(b);
}

void buffer_use_window_collective(struct intercept *call)
{
    struct comm_record *comm = comm_check_of(call);
    bool reads = comm && !collective_check_takes(call, comm); /* a broadcast's root */
    struct buffer_block w;

    if (blocks_written_as_one(call, &w))
        win_check_local(call, w.buffer, w.count, w.type, !reads);
    if (intercept_has(call, AT_BUF2) && blocks_sent_as_one(call, &w))
        win_check_local(call, w.buffer, w.count, w.type, false);
}

void buffer_overlap_sendrecv(struct intercept *call)
{
    if (intercept_argument(call, AT_DEST) == MPI_PROC_NULL ||
        intercept_argument(call, AT_SOURCE) == MPI_PROC_NULL ||
        !type_check_overlap(
            (void *)(intptr_t)intercept_argument(call, AT_BUF), intercept_argument(call, AT_COUNT),
            (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE),
            (void *)(intptr_t)intercept_argument(call, AT_BUF2), intercept_argument(call, AT_COUNT2),
            (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE2)))
        return;
    finding_add(&(struct finding_about){.class = FINDING_BUFFER,
                                        .call = call,
                                        .fix = "give two buffers, or call MPI_Sendrecv_replace"},
                "the buffers that %s sends and receives have bytes in common", call->procedure->name);
}

/* No location is written twice (MPI-5.0 section 6.5). */
static void say_twice(struct intercept *call, int rank)
{
    finding_add(
        &(struct finding_about){.class = FINDING_BUFFER,
                                .call = call,
                                .fix = "give displacements at which no two blocks have a byte in common"},
        "%s writes memory twice: what comes from rank %d overlaps what comes from a lower rank",
        call->procedure->name, rank);
}

/* Whether what is sent overlaps what is received. */
static bool has_alias(const struct intercept *call, const struct blocks *received)
{
    struct buffer_block sent, written;

    if (!intercept_has(call, AT_BUF2) || !blocks_sent_as_one(call, &sent))
        return false;
    if (received)
        return blocks_find_overlap(received, sent.buffer, sent.count, sent.type) >= 0;
    return blocks_written_as_one(call, &written) &&
           type_check_overlap(sent.buffer, sent.count, sent.type, written.buffer, written.count,
                              written.type);
}

void buffer_overlap_collective(struct intercept *call, const struct blocks *received)
{
    int twice = blocks_find_double(received);

    if (twice >= 0)
        say_twice(call, twice);
    else if (has_alias(call, received))
        finding_add(&(struct finding_about){.class = FINDING_BUFFER,
                                            .call = call,
                                            .fix = "give two buffers, or MPI_IN_PLACE where it is allowed"},
                    "what %s sends and what it receives have bytes in common", call->procedure->name);
}
