#include "coll/shm/single_copy.h"

#include "base/copy.h"
#include "base/round.h"
#include "memory/heap.h"
#include "memory/kind.h"
#include "memory/memory.h"
#include "net/net.h"
#include "p2p/lane.h"
#include "p2p/lost.h"
#include "p2p/transfer.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "progress/progress.h"

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
struct single_copy_descriptor {
    uint64_t in, out; /* addresses in its memory; 0: nobody accesses it */
    uint64_t bytes;   /* of each contribution: the same on all ranks */
    uint32_t in_is_mapped, out_is_mapped;
};
_Static_assert(sizeof(struct single_copy_descriptor) == DESCRIPTOR_BYTES,
               "single_copy_expose reserves as much");

bool single_copy_is_in_place(const struct coll_call *call)
{
    return call->in.at == call->out.at && call->in.type == call->out.type;
}

static bool single_copy_has(const struct shm_run *run, enum single_copy_use use)
{
    return run->uses & use;
}

static bool single_copy_is_mapped(const struct shm_run *run, const void *at, size_t bytes)
{
    return mailbox_kinds(run->boxes) == (int64_t)1 << KIND_MPI && heap_holds(at, bytes);
}

/* Contiguous bytes that this process loads and stores. */
static bool single_copy_is_plain(const struct shm_run *run, struct coll_block b)
{
    return b.type->dense && !datatype_device(b.type, b.at, mailbox_kinds(run->boxes));
}

static bool single_copy_is_accessible(const struct shm_run *run, struct coll_block b)
{
    return single_copy_is_plain(run, b) &&
           (run->boxes->can_get || single_copy_is_mapped(run, b.at, block_bytes(b)));
}

static struct coll_block single_copy_bytes(void *at, size_t bytes)
{
    return (struct coll_block){at, (MPI_Count)bytes, datatype_predefined(MPI_BYTE)};
}

/* Bytes before the result. */
static size_t bounce_input_bytes(const struct shm_run *run)
{
    return run->in_bounces ? round_up(run->call->bytes, PAYLOAD_UNIT) : 0;
}

static unsigned char *bounce_result(const struct shm_run *run)
{
    return run->bounce + bounce_input_bytes(run);
}

/* The cached bounce buffer, or new memory, whose pages the system has to give first. What is cached is a
 * power of two. */
static int bounce_alloc(struct shm_run *run, size_t bytes)
{
    struct mailboxes *s = run->boxes;
    void *memory = s->cached_bounce;
    int error = MPI_SUCCESS;

    run->bounce_log = 0;
    while (bytes <= (size_t)1 << CACHED_MOST && (size_t)1 << run->bounce_log < bytes)
        run->bounce_log++;
    if (memory && run->bounce_log && s->cached_bounce_log >= run->bounce_log) {
        s->cached_bounce = NULL;
        run->bounce_log = s->cached_bounce_log;
    } else {
        error = memory_alloc(run->bounce_log ? (size_t)1 << run->bounce_log : bytes, PAYLOAD_UNIT, &memory);
    }
    if (!error)
        run->bounce = memory;
    return error;
}

/* Caches it for the next call; of two the larger. */
static void bounce_release(struct shm_run *run)
{
    struct mailboxes *s = run->boxes;
    void *other = run->bounce;

    if (run->bounce_log && (!s->cached_bounce || s->cached_bounce_log < run->bounce_log)) {
        other = s->cached_bounce;
        s->cached_bounce = run->bounce;
        s->cached_bounce_log = run->bounce_log;
    }
    if (other)
        memory_free(other);
    run->bounce = NULL;
}

/* A combined result is not unpacked as it comes, and one in place must wait until the others have read. */
static bool bounce_holds_result(const struct shm_run *run)
{
    const struct coll_call *call = run->call;

    if (single_copy_has(run, USE_READ_ON))
        return single_copy_is_in_place(call) || !single_copy_is_plain(run, call->out);
    return single_copy_has(run, USE_PUT) && !single_copy_is_accessible(run, call->out);
}

/* Mapped memory in place of buffers that others cannot access, or that are still in use. */
static int bounce_set_up(struct shm_run *run)
{
    const struct coll_call *call = run->call;
    int error;

    run->in_bounces = single_copy_has(run, USE_INPUT) && !single_copy_is_accessible(run, call->in);
    run->out_bounces = single_copy_has(run, USE_RESULT) && bounce_holds_result(run);
    if (!run->in_bounces && !run->out_bounces)
        return MPI_SUCCESS;
    error = bounce_alloc(run, bounce_input_bytes(run) + (run->out_bounces ? block_bytes(call->out) : 0));
    if (!error && run->in_bounces)
        error = block_copy(call->in, single_copy_bytes(run->bounce, call->bytes), mailbox_kinds(run->boxes));
    if (!error && !run->boxes->can_get && !heap_holds(run->bounce, 1))
        error = fail(MPI_ERR_NO_MEM, "no memory that other ranks can map for %zu bytes of a collective",
                     call->bytes);
    return error;
}

static struct single_copy_descriptor descriptor_of(const struct shm_run *run)
{
    const struct coll_call *call = run->call;
    bool is_swapped = single_copy_has(run, USE_SWAP) && !run->in_bounces;
    struct single_copy_descriptor descriptor = {.bytes = call->bytes};
    const void *in = run->in_bounces ? run->bounce : call->in.at;
    const void *out = run->out_bounces ? bounce_result(run) : call->out.at;

    if (single_copy_has(run, USE_INPUT)) {
        descriptor.in = (uint64_t)(uintptr_t)in;
        descriptor.in_is_mapped =
            run->in_bounces ? heap_holds(in, 1) : single_copy_is_mapped(run, in, call->bytes);
    }
    if (single_copy_has(run, USE_RESULT) && (single_copy_has(run, USE_PUT) || is_swapped)) {
        descriptor.out = (uint64_t)(uintptr_t)out;
        descriptor.out_is_mapped =
            run->out_bounces ? heap_holds(out, 1) : single_copy_is_mapped(run, out, block_bytes(call->out));
    }
    return descriptor;
}

size_t single_copy_due(const struct shm_run *run, int rank)
{
    (void)run;
    (void)rank;
    return DESCRIPTOR_BYTES;
}

static int set_up(struct shm_run *run)
{
    const struct coll_call *call = run->call;

    if (single_copy_has(run, USE_INPUT) && block_bytes(call->in) != call->bytes)
        return fail(MPI_ERR_TRUNCATE, "%zu bytes are sent, where %zu are received", block_bytes(call->in),
                    call->bytes);
    return bounce_set_up(run);
}

bool single_copy_expose(struct shm_run *run, unsigned uses)
{
    struct single_copy_descriptor descriptor;
    size_t bytes = sizeof descriptor;

    if (!engine_reserve(run, &bytes, 0))
        return false;
    run->uses = (uint8_t)uses;
    engine_note(run, set_up(run));
    descriptor = descriptor_of(run);
    memcpy(run->payload, &descriptor, sizeof descriptor);
    engine_put(run, sizeof descriptor);
    return true;
}

void single_copy_end(struct shm_run *run)
{
    const struct coll_call *call = run->call;

    if (!(run->algorithm->needs & TRAIT_SINGLE_COPY) || !run->bounce)
        return;
    if (run->out_bounces && !run->error)
        run->error = block_copy(single_copy_bytes(bounce_result(run), block_bytes(call->out)), call->out,
                                mailbox_kinds(run->boxes));
    bounce_release(run);
}

static int single_copy_resolve(const struct mailboxes *s, int rank, uint64_t address, bool is_mapped_there,
                               size_t bytes, struct single_copy_buffer *buffer)
{
    *buffer = (struct single_copy_buffer){address, rank == s->rank ? (void *)(uintptr_t)address : NULL};
    if (!address || rank == s->rank || !is_mapped_there)
        return MPI_SUCCESS;
    lane_take(&lanes[0]); /* peers are its holder's */
    buffer->at = net_map(s->peer[rank].peer, address, bytes);
    lane_release(&lanes[0]);
    if (!buffer->at && mailbox_has_lost(s, rank))
        return fail(net_loss_class(), "rank %d has ended", rank);
    return buffer->at ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "cannot map the buffers of rank %d", rank);
}

static const struct single_copy_descriptor *descriptor_from(const struct shm_run *run, int rank)
{
    return (const void *)mailbox_data(run->boxes, rank, run->sequence);
}

/* Where the buffers of all ranks are. That they are of the same length all ranks find alike. */
static int single_copy_resolve_all(struct single_copy *c)
{
    struct mailboxes *s = c->boxes;
    uint64_t bytes = descriptor_from(c->run, 0)->bytes;
    int error = MPI_SUCCESS;

    for (int r = 0; r < s->size; r++)
        if (descriptor_from(c->run, r)->bytes != bytes)
            return fail(MPI_ERR_TRUNCATE,
                        "rank %d has %llu bytes for this collective, where this one has %llu: the counts or "
                        "types of the ranks do not fit together",
                        r, (unsigned long long)descriptor_from(c->run, r)->bytes,
                        (unsigned long long)c->run->call->bytes);
    c->run->is_exposed = true;
    for (int r = 0; r < s->size && !error; r++) {
        const struct single_copy_descriptor *descriptor = descriptor_from(c->run, r);

        error = single_copy_resolve(s, r, descriptor->in, descriptor->in_is_mapped, bytes, &c->in[r]);
        if (!error)
            error =
                single_copy_resolve(s, r, descriptor->out, descriptor->out_is_mapped, bytes, &c->result[r]);
        c->is_fetched |= !c->in[r].at;
    }
    return error;
}

/* Whoever started a job ends it when a rank dies, and says why; or lets the others know of it. This rank has found out sooner: it lets
 * that come first, before it fails itself. */
static void single_copy_await_end(const struct mailboxes *s, int rank)
{
    uint64_t end = clock_ns() + NET_LOSS_NS;
    struct timespec left = {NET_LOSS_NS / 1000000000, NET_LOSS_NS % 1000000000};

    while (net_survives() && !mailbox_has_lost(s, rank) && clock_ns() < end)
        progress_poll();
    while (!net_survives() && nanosleep(&left, &left) && errno == EINTR)
        ;
}

/* Copies between this rank's memory and a buffer of another, from its byte `offset` on. */
static int single_copy_access(const struct single_copy *c, int rank, bool is_put,
                              struct single_copy_buffer buffer, size_t offset, void *at, size_t bytes)
{
    struct peer *peer = c->boxes->peer[rank].peer;
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
    if (error == net_loss_class())
        single_copy_await_end(c->boxes, rank);
    return error && mailbox_has_lost(c->boxes, rank) ? fail(net_loss_class(), "rank %d has ended", rank)
                                                     : error;
}

/* Copies `bytes` bytes at `at` of a rank's contribution. */
static int single_copy_fetch(const struct single_copy *c, int rank, size_t at, void *to, size_t bytes)
{
    return single_copy_access(c, rank, false, c->in[rank], at, to, bytes);
}

/* Copies bytes into a rank's result. */
int single_copy_store(const struct single_copy *c, int rank, size_t at, const void *from, size_t bytes)
{
    return single_copy_access(c, rank, true, c->result[rank], at, (void *)(uintptr_t)from, bytes);
}

/* The offset of step `i` through so many bytes. */
static size_t single_copy_offset(const struct single_copy *c, size_t i, size_t bytes, size_t step)
{
    return (c->is_backward ? (bytes - 1) / step - i : i) * step;
}

/* Unpacks bytes into this rank's result. */
static int single_copy_unpack(const struct single_copy *c, size_t to, const void *from, size_t bytes)
{
    const struct coll_call *call = c->run->call;

    if (!c->out)
        return datatype_unpack_to(datatype_device(call->out.type, call->out.at, mailbox_kinds(c->boxes)),
                                  call->out.type, call->out.at, to, from, bytes);
    memcpy(c->out + to, from, bytes);
    return MPI_SUCCESS;
}

int single_copy_take(const struct single_copy *c, int rank, size_t from, size_t to, size_t bytes)
{
    size_t step = c->out ? CHUNK_BYTES : PORTION_BYTES;
    const unsigned char *mapped = c->in[rank].at;
    int error = MPI_SUCCESS;

    for (size_t i = 0; i * step < bytes && !error; i++) {
        size_t at = single_copy_offset(c, i, bytes, step), part = transfer_min(bytes - at, step);

        if (c->out || !mapped)
            error = single_copy_fetch(c, rank, from + at, c->out ? c->out + to + at : c->scratch, part);
        if (!c->out && !error)
            error = single_copy_unpack(c, to + at, mapped ? mapped + from + at : c->scratch, part);
    }
    return error;
}

/* Of two ranks that access each other's blocks, each swaps one half. A rank whose blocks bounce swaps all, since the other cannot
 * store into them. */
int single_copy_swap(const struct single_copy *c, int rank, size_t each)
{
    bool is_alone = c->run->in_bounces, is_first = c->rank < rank;
    size_t half = each / 2 / PAYLOAD_UNIT * PAYLOAD_UNIT;
    size_t begin = is_alone || is_first ? 0 : half, end = is_alone || !is_first ? each : half;
    size_t mine = (size_t)rank * each, theirs = (size_t)c->rank * each;
    int error = MPI_SUCCESS;

    if (!is_alone && !c->result[rank].address)
        return MPI_SUCCESS;
    for (size_t i = 0; begin + i * PORTION_BYTES < end && !error; i++) {
        size_t at = begin + single_copy_offset(c, i, end - begin, PORTION_BYTES);
        size_t part = transfer_min(end - at, PORTION_BYTES);

        error = single_copy_fetch(c, rank, theirs + at, c->scratch, part);
        if (!error)
            error = single_copy_store(c, rank, theirs + at, c->in[c->rank].at + mine + at, part);
        if (!error)
            error = single_copy_unpack(c, mine + at, c->scratch, part);
    }
    return error;
}

/* The ranks behind this one first, then its own; or the other way round. */
int single_copy_each(const struct single_copy *c, int take(const struct single_copy *c, int rank))
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < c->size && !error; i++)
        error = take(c, (c->rank + (c->is_backward ? c->size - i : i + 1)) % c->size);
    return error;
}

/* The root of a reduction has a larger piece, since it does not send its result away. */
static size_t single_copy_piece_begin(const struct single_copy *c, int root_more, int rank)
{
    const struct coll_call *call = c->run->call;
    MPI_Count others = 8 * (c->size - 1), root = others + root_more;
    MPI_Count unit = others * (c->size - 1) + root,
              before = others * rank + (rank > call->root ? root - others : 0);

    return (size_t)(call->in.count / unit * before + call->in.count % unit * before / unit) *
           (size_t)call->in.type->size;
}

/* Combines `bytes` bytes at `at` of all ranks' vectors: in rank order, the last ranks first, or, where order
 * does not matter, those before this rank first and its own last. `spare` is as long. */
static int single_copy_combine_portion(const struct single_copy *c, size_t at, size_t bytes, void *sum,
                                       void *spare)
{
    const struct coll_call *call = c->run->call;
    int first = call->op->commutative ? c->rank + c->size - 1 : c->size - 1;
    int error = single_copy_fetch(c, first % c->size, at, sum, bytes);

    for (int i = 1; i < c->size && !error; i++) {
        int r = (first - i) % c->size;
        unsigned char *from = c->in[r].at;

        if (!from)
            error = single_copy_fetch(c, r, at, spare, bytes);
        if (!error)
            op_apply(call->op, from ? from + at : spare, sum, (MPI_Count)bytes / call->in.type->size,
                     call->in.type);
    }
    return error;
}

int single_copy_combine(const struct single_copy *c, size_t begin, size_t end, unsigned char *out,
                        int store(const struct single_copy *c, size_t at, size_t bytes, const void *sum))
{
    size_t item = (size_t)c->run->call->in.type->size;
    size_t step = (size_t)(c->is_fetched ? PORTION_BYTES : PORTION_MAPPED) / item * item;
    int error = MPI_SUCCESS;

    for (size_t i = 0; begin + i * step < end && !error; i++) {
        size_t at = single_copy_offset(c, i, end - begin, step), bytes = transfer_min(end - begin - at, step);
        unsigned char *sum = out ? out + at : c->scratch;

        error = single_copy_combine_portion(c, begin + at, bytes, sum, c->scratch + PORTION_BYTES);
        if (!error && store)
            error = store(c, begin + at, bytes, sum);
    }
    return error;
}

/* In place the result is this rank's input, which is read until it is combined. */
int single_copy_combine_piece(const struct single_copy *c, int root_more,
                              int store(const struct single_copy *c, size_t at, size_t bytes,
                                        const void *sum))
{
    size_t begin = single_copy_piece_begin(c, root_more, c->rank),
           end = single_copy_piece_begin(c, root_more, c->rank + 1);
    bool is_here = single_copy_has(c->run, USE_RESULT) && c->out != c->run->call->in.at;

    return single_copy_combine(c, begin, end, is_here ? c->out + begin : NULL, store);
}

/* Memory for two portions. */
static int find_scratch(struct single_copy *c)
{
    struct mailboxes *s = c->boxes;

    if (!c->run->call->op && c->out && !single_copy_has(c->run, USE_SWAP))
        return MPI_SUCCESS;
    if (!s->scratch)
        s->scratch = malloc((size_t)2 * PORTION_BYTES);
    c->scratch = s->scratch;
    return c->scratch ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory to work on %d bytes", PORTION_BYTES);
}

void single_copy_move(struct shm_run *run, int move(const struct single_copy *c))
{
    const struct coll_call *call = run->call;
    struct mailboxes *s = run->boxes;
    struct single_copy c = {.run = run, .boxes = s, .rank = s->rank, .size = s->size};
    int error;

    s->is_backward = !s->is_backward;
    c.is_backward = s->is_backward;
    c.out = run->out_bounces                       ? bounce_result(run)
            : single_copy_is_plain(run, call->out) ? call->out.at
                                                   : NULL;
    error = single_copy_resolve_all(&c);
    if (!error)
        error = find_scratch(&c);
    if (!error)
        error = move(&c);
    engine_note(run, error);
}
