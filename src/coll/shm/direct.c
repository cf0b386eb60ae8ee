#include "coll/shm/direct.h"

#include "base/copy.h"
#include "base/fail.h"
#include "base/round.h"
#include "coll/shm/mailbox.h"
#include "memory/heap.h"
#include "memory/kind.h"
#include "memory/memory.h"
#include "net/net.h"
#include "p2p/lane.h"
#include "p2p/transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CHUNK_BYTES = 512 * 1024,      /* moved at a time: each costs a call of the system */
    PORTION_BYTES = 128 * 1024,    /* combined at a time: a few of them stay in a core's cache */
    PORTION_MAPPED = LARGEST_ITEM, /* the same where nothing is fetched: stays in the nearest cache */
    CACHED_MOST = 22               /* log2 of the bytes of a bounce buffer that is cached */
};

/* Of a rank's buffers. */
struct direct_descriptor {
    uint64_t in, out; /* addresses in its memory; 0: nobody accesses it */
    uint64_t bytes;   /* of each contribution: the same on all ranks */
    uint32_t in_is_mapped, out_is_mapped;
};
_Static_assert(sizeof(struct direct_descriptor) == DESCRIPTOR_BYTES, "engine.c reserves as much");

/* A rank's buffer, as this rank accesses it. */
struct direct_buffer {
    uint64_t address;  /* in its owner's memory ... */
    unsigned char *at; /* ... and in this rank's; NULL: only the transport does */
};

struct direct_op {
    struct coll_call *call;
    struct mailboxes *boxes;
    int rank, size;
    bool is_backward, is_fetched; /* is_fetched: some rank's vector is not mapped */
    unsigned char *out;           /* where this rank's result goes, for now; NULL: to items with gaps */
    unsigned char *scratch;       /* for two portions; owned by the mailboxes */
    struct direct_buffer in[MAILBOX_RANKS], result[MAILBOX_RANKS];
};

/* Which of a rank's buffers it has at all. */
static bool direct_has_input(const struct coll_call *call, int rank)
{
    return call->list->collective != COLL_BCAST || rank == call->root;
}

static bool direct_has_result(const struct coll_call *call, int rank)
{
    return call->list->collective == COLL_REDUCE ? rank == call->root
                                                 : call->list->collective != COLL_BCAST || rank != call->root;
}

/* Into which results others store. */
static bool direct_is_put(const struct coll_call *call)
{
    return call->list->collective == COLL_REDUCE || call->list->collective == COLL_ALLREDUCE;
}

static bool direct_is_in_place(const struct coll_call *call)
{
    return call->in.at == call->out.at && call->in.type == call->out.type;
}

/* Whether others swap their blocks for those of this rank. */
static bool direct_is_swapped(const struct coll_call *call)
{
    return call->list->collective == COLL_ALLTOALL && direct_is_in_place(call) && !call->in_bounces;
}

static bool direct_is_mapped(const struct coll_call *call, const void *at, size_t bytes)
{
    return mailbox_kinds(call->boxes) == (int64_t)1 << KIND_MPI && heap_holds(at, bytes);
}

/* Contiguous bytes that this process loads and stores. */
static bool direct_is_plain(const struct coll_call *call, struct coll_block b)
{
    return b.type->dense && !datatype_device(b.type, b.at, mailbox_kinds(call->boxes));
}

static bool direct_is_accessible(const struct coll_call *call, struct coll_block b)
{
    return direct_is_plain(call, b) && (call->boxes->can_get || direct_is_mapped(call, b.at, block_bytes(b)));
}

static struct coll_block direct_bytes(void *at, size_t bytes)
{
    return (struct coll_block){at, (MPI_Count)bytes, datatype_predefined(MPI_BYTE)};
}

/* Bytes before the result. */
static size_t bounce_input_bytes(const struct coll_call *call)
{
    return call->in_bounces ? round_up(call->bytes, PAYLOAD_UNIT) : 0;
}

static unsigned char *bounce_result(const struct coll_call *call)
{
    return call->bounce + bounce_input_bytes(call);
}

/* The cached bounce buffer, or new memory, whose pages the system has to give first. What is cached is a
 * power of two. */
static int bounce_alloc(struct coll_call *call, size_t bytes)
{
    struct mailboxes *s = call->boxes;
    void *memory = s->cached_bounce;
    int error = MPI_SUCCESS;

    call->bounce_log = 0;
    while (bytes <= (size_t)1 << CACHED_MOST && (size_t)1 << call->bounce_log < bytes)
        call->bounce_log++;
    if (memory && call->bounce_log && s->cached_bounce_log >= call->bounce_log) {
        s->cached_bounce = NULL;
        call->bounce_log = s->cached_bounce_log;
    } else {
        error = memory_alloc(call->bounce_log ? (size_t)1 << call->bounce_log : bytes, PAYLOAD_UNIT, &memory);
    }
    if (!error)
        call->bounce = memory;
    return error;
}

/* Caches it for the next call; of two the larger. */
static void bounce_release(struct coll_call *call)
{
    struct mailboxes *s = call->boxes;
    void *other = call->bounce;

    if (call->bounce_log && (!s->cached_bounce || s->cached_bounce_log < call->bounce_log)) {
        other = s->cached_bounce;
        s->cached_bounce = call->bounce;
        s->cached_bounce_log = call->bounce_log;
    }
    if (other)
        memory_free(other);
    call->bounce = NULL;
}

/* A combined result is not unpacked as it comes, and one in place must wait until the others have read. */
static bool bounce_holds_result(const struct coll_call *call)
{
    if (call->list->collective == COLL_REDUCE_SCATTER)
        return direct_is_in_place(call) || !direct_is_plain(call, call->out);
    return direct_is_put(call) && !direct_is_accessible(call, call->out);
}

/* Mapped memory in place of buffers that others cannot access, or that are still in use. */
static int bounce_set_up(struct coll_call *call, int rank)
{
    int error;

    call->in_bounces = direct_has_input(call, rank) && !direct_is_accessible(call, call->in);
    call->out_bounces = direct_has_result(call, rank) && bounce_holds_result(call);
    if (!call->in_bounces && !call->out_bounces)
        return MPI_SUCCESS;
    error = bounce_alloc(call, bounce_input_bytes(call) + (call->out_bounces ? block_bytes(call->out) : 0));
    if (!error && call->in_bounces)
        error = block_copy(call->in, direct_bytes(call->bounce, call->bytes), mailbox_kinds(call->boxes));
    if (!error && !call->boxes->can_get && !heap_holds(call->bounce, 1))
        error = fail(MPI_ERR_NO_MEM, "no memory that other ranks can map for %zu bytes of a collective",
                     call->bytes);
    return error;
}

static struct direct_descriptor descriptor_of(const struct coll_call *call, int rank)
{
    struct direct_descriptor descriptor = {.bytes = call->bytes};
    const void *in = call->in_bounces ? call->bounce : call->in.at;
    const void *out = call->out_bounces ? bounce_result(call) : call->out.at;

    if (direct_has_input(call, rank)) {
        descriptor.in = (uint64_t)(uintptr_t)in;
        descriptor.in_is_mapped =
            call->in_bounces ? heap_holds(in, 1) : direct_is_mapped(call, in, call->bytes);
    }
    if (direct_has_result(call, rank) && (direct_is_put(call) || direct_is_swapped(call))) {
        descriptor.out = (uint64_t)(uintptr_t)out;
        descriptor.out_is_mapped =
            call->out_bounces ? heap_holds(out, 1) : direct_is_mapped(call, out, block_bytes(call->out));
    }
    return descriptor;
}

int direct_expose(struct coll_call *call, void *line)
{
    struct direct_descriptor descriptor;
    int error = MPI_SUCCESS;

    if (direct_has_input(call, call->boxes->rank) && block_bytes(call->in) != call->bytes)
        error = fail(MPI_ERR_TRUNCATE, "%zu bytes are sent, where %zu are received", block_bytes(call->in),
                     call->bytes);
    if (!error)
        error = bounce_set_up(call, call->boxes->rank);
    descriptor = descriptor_of(call, call->boxes->rank);
    memcpy(line, &descriptor, sizeof descriptor);
    return error;
}

void direct_end(struct coll_call *call)
{
    if (!call->bounce)
        return;
    if (call->out_bounces && !call->error)
        call->error = block_copy(direct_bytes(bounce_result(call), block_bytes(call->out)), call->out,
                                 mailbox_kinds(call->boxes));
    bounce_release(call);
}

static int direct_resolve(const struct mailboxes *s, int rank, uint64_t address, bool is_mapped_there,
                          size_t bytes, struct direct_buffer *buffer)
{
    *buffer = (struct direct_buffer){address, rank == s->rank ? (void *)(uintptr_t)address : NULL};
    if (!address || rank == s->rank || !is_mapped_there)
        return MPI_SUCCESS;
    lane_take(&lanes[0]); /* peers are its holder's */
    buffer->at = net_map(s->peer[rank].peer, address, bytes);
    lane_release(&lanes[0]);
    return buffer->at ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "cannot map the buffers of rank %d", rank);
}

static const struct direct_descriptor *descriptor_from(const struct coll_call *call, int rank)
{
    return (const void *)mailbox_data(call->boxes, rank, call->sequence);
}

/* Where the buffers of all ranks are. That they are of the same length all ranks find alike. */
static int direct_resolve_all(struct direct_op *op)
{
    struct mailboxes *s = op->boxes;
    uint64_t bytes = descriptor_from(op->call, 0)->bytes;
    int error = MPI_SUCCESS;

    for (int r = 0; r < s->size; r++)
        if (descriptor_from(op->call, r)->bytes != bytes)
            return fail(MPI_ERR_TRUNCATE,
                        "rank %d has %llu bytes for this collective, where this one has %llu: the counts or "
                        "types of the ranks do not fit together",
                        r, (unsigned long long)descriptor_from(op->call, r)->bytes,
                        (unsigned long long)op->call->bytes);
    op->call->is_exposed = true;
    for (int r = 0; r < s->size && !error; r++) {
        const struct direct_descriptor *descriptor = descriptor_from(op->call, r);

        error = direct_resolve(s, r, descriptor->in, descriptor->in_is_mapped, bytes, &op->in[r]);
        if (!error)
            error = direct_resolve(s, r, descriptor->out, descriptor->out_is_mapped, bytes, &op->result[r]);
        op->is_fetched |= !op->in[r].at;
    }
    return error;
}

/* Whoever started a job ends it when a rank dies, and says why. This rank has found out sooner: it lets that come first,
 * before it fails itself. */
static void direct_await_end(void)
{
    struct timespec left = {NET_LOSS_NS / 1000000000, NET_LOSS_NS % 1000000000};

    while (nanosleep(&left, &left) && errno == EINTR)
        ;
}

/* Copies between this rank's memory and a buffer of another, from its byte `offset` on. */
static int direct_move(const struct direct_op *op, int rank, bool is_put, struct direct_buffer buffer,
                       size_t offset, void *at, size_t bytes)
{
    struct peer *peer = op->boxes->peer[rank].peer;
    struct iovec here = {at, bytes}, there = {(void *)(uintptr_t)(buffer.address + offset), bytes};
    int error;

    if (buffer.at) {
        if (buffer.at + offset != at)
            copy_bytes(is_put ? buffer.at + offset : at, is_put ? at : buffer.at + offset, bytes);
        return MPI_SUCCESS;
    }
    lane_take(&lanes[0]);
    error = peer->transport->copy(peer, is_put, &here, 1, &there, 1);
    lane_release(&lanes[0]);
    if (error == MPI_ERR_PROC_ABORTED)
        direct_await_end();
    return error;
}

/* Copies `bytes` bytes at `at` of a rank's contribution. */
static int direct_fetch(const struct direct_op *op, int rank, size_t at, void *to, size_t bytes)
{
    return direct_move(op, rank, false, op->in[rank], at, to, bytes);
}

/* Copies bytes into a rank's result. */
static int direct_store(const struct direct_op *op, int rank, size_t at, const void *from, size_t bytes)
{
    return direct_move(op, rank, true, op->result[rank], at, (void *)(uintptr_t)from, bytes);
}

/* The offset of step `i` through so many bytes. */
static size_t direct_offset(const struct direct_op *op, size_t i, size_t bytes, size_t step)
{
    return (op->is_backward ? (bytes - 1) / step - i : i) * step;
}

/* Unpacks bytes into this rank's result. */
static int direct_unpack(const struct direct_op *op, size_t to, const void *from, size_t bytes)
{
    const struct coll_call *call = op->call;

    if (!op->out)
        return datatype_unpack_to(datatype_device(call->out.type, call->out.at, mailbox_kinds(call->boxes)),
                                  call->out.type, call->out.at, to, from, bytes);
    memcpy(op->out + to, from, bytes);
    return MPI_SUCCESS;
}

static int direct_take_block(const struct direct_op *op, int rank, size_t from, size_t to, size_t bytes)
{
    size_t step = op->out ? CHUNK_BYTES : PORTION_BYTES;
    const unsigned char *mapped = op->in[rank].at;
    int error = MPI_SUCCESS;

    for (size_t i = 0; i * step < bytes && !error; i++) {
        size_t at = direct_offset(op, i, bytes, step), part = transfer_min(bytes - at, step);

        if (op->out || !mapped)
            error = direct_fetch(op, rank, from + at, op->out ? op->out + to + at : op->scratch, part);
        if (!op->out && !error)
            error = direct_unpack(op, to + at, mapped ? mapped + from + at : op->scratch, part);
    }
    return error;
}

/* In place: swaps another rank's block for this rank with this rank's for the other. Of two ranks that access each
 * other's blocks, each swaps one half. A rank whose blocks bounce swaps all, since the other cannot store into them. */
static int direct_swap_block(const struct direct_op *op, int rank, size_t each)
{
    bool is_alone = op->call->in_bounces, is_first = op->rank < rank;
    size_t half = each / 2 / PAYLOAD_UNIT * PAYLOAD_UNIT;
    size_t begin = is_alone || is_first ? 0 : half, end = is_alone || !is_first ? each : half;
    size_t mine = (size_t)rank * each, theirs = (size_t)op->rank * each;
    int error = MPI_SUCCESS;

    if (!is_alone && !op->result[rank].address)
        return MPI_SUCCESS;
    for (size_t i = 0; begin + i * PORTION_BYTES < end && !error; i++) {
        size_t at = begin + direct_offset(op, i, end - begin, PORTION_BYTES);
        size_t part = transfer_min(end - at, PORTION_BYTES);

        error = direct_fetch(op, rank, theirs + at, op->scratch, part);
        if (!error)
            error = direct_store(op, rank, theirs + at, op->in[op->rank].at + mine + at, part);
        if (!error)
            error = direct_unpack(op, mine + at, op->scratch, part);
    }
    return error;
}

/* The block of a rank that goes to this one. */
static int direct_take_block_of(const struct direct_op *op, int rank)
{
    const struct coll_call *call = op->call;
    size_t size = (size_t)op->size, each = call->bytes, mine = 0;

    if (call->list->collective == COLL_ALLTOALL) {
        each /= size;
        mine = (size_t)op->rank * each;
        if (direct_is_in_place(call) && rank == op->rank)
            return MPI_SUCCESS;
        if (direct_is_swapped(call) || op->result[rank].address)
            return direct_swap_block(op, rank, each);
    }
    return direct_take_block(op, rank, mine, (size_t)rank * each, each);
}

/* The ranks behind this one first, then its own; or the other way round. */
static int direct_take_blocks(const struct direct_op *op)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < op->size && !error; i++)
        error = direct_take_block_of(op, (op->rank + (op->is_backward ? op->size - i : i + 1)) % op->size);
    return error;
}

/* The root of a reduction has a larger piece, since it does not send its result away. */
static size_t direct_piece_begin(const struct direct_op *op, int rank)
{
    const struct coll_call *call = op->call;
    MPI_Count others = 8 * (op->size - 1), root = others;
    MPI_Count unit;

    if (call->list->collective == COLL_REDUCE)
        root += 5;
    unit = others * (op->size - 1) + root;
    return (size_t)(call->in.count / unit * (others * rank + (rank > call->root ? root - others : 0)) +
                    call->in.count % unit * (others * rank + (rank > call->root ? root - others : 0)) /
                        unit) *
           (size_t)call->in.type->size;
}

/* Combines `bytes` bytes at `at` of all ranks' vectors: in rank order, the last ranks first, or, where order
 * does not matter, those before this rank first and its own last. `spare` is as long. */
static int direct_combine_portion(const struct direct_op *op, size_t at, size_t bytes, void *sum, void *spare)
{
    struct coll_call *call = op->call;
    int first = call->op->commutative ? op->rank + op->size - 1 : op->size - 1;
    int error = direct_fetch(op, first % op->size, at, sum, bytes);

    for (int i = 1; i < op->size && !error; i++) {
        int r = (first - i) % op->size;
        unsigned char *from = op->in[r].at;

        if (!from)
            error = direct_fetch(op, r, at, spare, bytes);
        if (!error)
            op_apply(call->op, from ? from + at : spare, sum, (MPI_Count)bytes / call->in.type->size,
                     call->in.type);
    }
    return error;
}

/* Where it is wanted besides `sum`, which may be this rank's result. */
static int direct_store_portion(const struct direct_op *op, size_t at, size_t bytes, const void *sum)
{
    const struct coll_call *call = op->call;
    int error = MPI_SUCCESS;

    if (call->list->collective == COLL_REDUCE)
        return direct_store(op, call->root, at, sum, bytes);
    for (int i = 0; call->list->collective == COLL_ALLREDUCE && i < op->size && !error; i++)
        error = direct_store(op, (op->rank + i) % op->size, at, sum, bytes);
    return error;
}

/* The part of the vectors from `begin` to `end`, for which `out` is a place to combine it in, if any. */
static int direct_combine_piece(const struct direct_op *op, size_t begin, size_t end, unsigned char *out)
{
    size_t item = (size_t)op->call->in.type->size;
    size_t step = (size_t)(op->is_fetched ? PORTION_BYTES : PORTION_MAPPED) / item * item;
    int error = MPI_SUCCESS;

    for (size_t i = 0; begin + i * step < end && !error; i++) {
        size_t at = direct_offset(op, i, end - begin, step), bytes = transfer_min(end - begin - at, step);
        unsigned char *sum = out ? out + at : op->scratch;

        error = direct_combine_portion(op, begin + at, bytes, sum, op->scratch + PORTION_BYTES);
        if (!error)
            error = direct_store_portion(op, begin + at, bytes, sum);
    }
    return error;
}

/* In place the result is this rank's input, which is read until it is combined. */
static int direct_combine(const struct direct_op *op)
{
    const struct coll_call *call = op->call;
    size_t begin, end;
    bool is_here = direct_has_result(call, op->rank) && op->out != call->in.at;

    if (call->list->collective == COLL_REDUCE_SCATTER) {
        begin = (size_t)call->first * (size_t)call->in.type->size;
        return direct_combine_piece(op, begin, begin + block_bytes(call->out), op->out);
    }
    begin = direct_piece_begin(op, op->rank);
    end = direct_piece_begin(op, op->rank + 1);
    return direct_combine_piece(op, begin, end, is_here ? op->out + begin : NULL);
}

int direct_transfer(struct coll_call *call)
{
    struct mailboxes *s = call->boxes;
    struct direct_op op = {.call = call, .boxes = s, .rank = s->rank, .size = s->size};
    bool needs_scratch;
    int error;

    s->is_backward = !s->is_backward;
    op.is_backward = s->is_backward;
    op.out = call->out_bounces ? bounce_result(call) : direct_is_plain(call, call->out) ? call->out.at : NULL;
    error = direct_resolve_all(&op);
    if (error)
        return error;
    needs_scratch =
        call->op || !op.out || (call->list->collective == COLL_ALLTOALL && direct_is_in_place(call));
    if (needs_scratch && !s->scratch)
        s->scratch = malloc((size_t)2 * PORTION_BYTES);
    op.scratch = s->scratch;
    if (needs_scratch && !op.scratch)
        return fail(MPI_ERR_NO_MEM, "no memory to work on %d bytes", PORTION_BYTES);
    if (call->op)
        return direct_combine(&op);
    if (call->list->collective != COLL_BCAST)
        return direct_take_blocks(&op);
    return direct_has_result(call, s->rank) ? direct_take_block(&op, call->root, 0, 0, call->bytes)
                                            : MPI_SUCCESS;
}
