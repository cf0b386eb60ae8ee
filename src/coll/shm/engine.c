/* engine: one operation through mailboxes: publish this rank's contribution, poll the others', combine or
 * copy. */
#include "base/copy.h"
#include "base/fail.h"
#include "coll/shm/direct.h"
#include "coll/shm/irregular.h"
#include "coll/shm/mailbox.h"
#include "coll/shm/shm_coll.h"

enum {
    ROOT_BITS = 6,
    PORTION_BYTES = 4096,     /* combined at a time: stays in the nearest cache */
    PIECES_LEAST = 16 * 1024, /* bytes from which on an allreduce is combined in pieces */
    FLAT_MOST = 8,            /* ranks that all poll all others for a barrier or an allreduce */
    POLLS_BEFORE_HEADER = 20  /* fewer than those before a rank sleeps */
};

/* Whether the root alone contributes. */
static bool engine_is_from_root(const struct coll_call *call)
{
    return (call->list->collective == COLL_BCAST && !call->is_direct) ||
           call->list->collective == COLL_SCATTER || call->stage == STAGE_DOWN;
}

/* Whether the root alone reads. In a direct broadcast only the root must know that its buffer is free. */
static bool engine_is_to_root(const struct coll_call *call)
{
    if (call->is_direct)
        return call->list->collective == COLL_BCAST && call->stage == STAGE_RELEASE;
    return call->list->collective == COLL_REDUCE || call->list->collective == COLL_GATHER ||
           call->stage == STAGE_UP;
}

/* Whether this rank polls nobody. */
static bool engine_runs_ahead(const struct coll_call *call)
{
    return call->next >= call->until;
}

void engine_note(struct coll_call *call, int error)
{
    if (error && !call->error)
        call->error = error;
}

/* The piece of the vector that a rank combines: whole cache lines, where items allow it. */
static struct coll_block engine_piece(const struct coll_call *call, struct coll_block vector, int rank)
{
    MPI_Count size = call->boxes->size, each = (vector.count + size - 1) / size;
    MPI_Count unit = PAYLOAD_UNIT % vector.type->size ? 1 : PAYLOAD_UNIT / vector.type->size;
    MPI_Count piece = (each + unit - 1) / unit * unit, first = piece * rank;

    return block_slice(vector, first < vector.count ? first : vector.count, piece);
}

static size_t engine_piece_offset(struct coll_block piece, struct coll_block vector)
{
    return (size_t)((char *)piece.at - (char *)vector.at);
}

/* Whether this rank reads its contribution where it lies: not from where the result goes. */
static bool engine_input_stays(const struct coll_call *call)
{
    return !call->in.count || call->list->collective == COLL_GATHER ||
           (call->in.at != call->out.at &&
            !datatype_device(call->in.type, call->in.at, mailbox_kinds(call->boxes)));
}

/* Which ranks poll which. A root that polls all reads its own vector in its buffer. */
static void engine_enter(struct coll_call *call, enum engine_stage stage, enum engine_stage then)
{
    bool is_root = call->root == call->boxes->rank;

    call->stage = stage;
    call->then = then;
    call->polls = 0;
    call->next = 0;
    call->until = (uint8_t)call->boxes->size;
    call->is_published = false;
    call->is_header_published = false;
    if (engine_is_from_root(call)) {
        call->next = (uint8_t)call->root;
        call->until = (uint8_t)(call->root + !is_root);
        call->is_published = !is_root;
    } else if (engine_is_to_root(call)) {
        if (!is_root)
            call->until = 0;
        call->is_published = is_root && engine_input_stays(call);
    } else if (call->list->collective == COLL_SCAN) { /* nobody reads the last rank's */
        call->until = (uint8_t)call->boxes->rank;
        call->is_published =
            call->boxes->rank == call->boxes->size - 1 && (call->root || engine_input_stays(call));
    }
    if (call->is_idle) {
        call->until = call->next;
        call->is_published = true;
    }
}

/* Bytes under one sequence number: not all of a long broadcast. */
static size_t engine_portion(const struct coll_call *call)
{
    size_t most = BCAST_MOST < call->boxes->shape.segment ? BCAST_MOST : call->boxes->shape.segment, rest;

    if (call->list->collective == COLL_SCATTER) /* without the root's own block */
        return call->bytes * (size_t)(call->boxes->size - 1);
    if (call->list->collective != COLL_BCAST)
        return call->bytes;
    rest = call->bytes - (size_t)call->first;
    return rest < most ? rest : most;
}

/* The stage after this portion. */
static enum engine_stage engine_next_stage(const struct coll_call *call)
{
    return call->list->collective == COLL_BCAST && (size_t)call->first + engine_portion(call) < call->bytes
               ? STAGE_WHOLE
               : STAGE_DONE;
}

/* A call takes as many sequence numbers on all ranks. */
void engine_begin(struct coll_call *call)
{
    uint32_t op = !call->op ? 0 : call->op->code >= OP_USER ? TAG_OP_USER : call->op->code + 1u;

    call->sequence = ++call->boxes->sequence;
    call->error = 0;
    call->is_exposed = false;
    call->tag = call->tag >> TAG_NUMBER_SHIFT << TAG_NUMBER_SHIFT | op << TAG_OP_SHIFT |
                (uint32_t)(call->list->collective << ROOT_BITS | call->root) |
                (irregular_is(call) ? TAG_IRREGULAR : 0);
    if (call->list->collective == COLL_BCAST)
        call->first = 0;
    if (call->is_direct)
        engine_enter(call, STAGE_EXPOSE, STAGE_RELEASE);
    else if (call->list->collective == COLL_ALLREDUCE && call->bytes >= PIECES_LEAST)
        engine_enter(call, STAGE_COMBINE, STAGE_PIECES);
    else if ((call->list->collective == COLL_ALLREDUCE || call->list->collective == COLL_BARRIER) &&
             call->boxes->size > FLAT_MOST)
        engine_enter(call, STAGE_UP, STAGE_DOWN);
    else
        engine_enter(call, STAGE_WHOLE, irregular_is(call) ? STAGE_DONE : engine_next_stage(call));
    if (call->then == STAGE_WHOLE)
        call->boxes->sequence += (call->bytes - 1) / engine_portion(call);
    else
        call->boxes->sequence += call->then != STAGE_DONE;
}

void engine_copy_in(struct coll_call *call, struct coll_block in, size_t first, unsigned char *to,
                    size_t bytes)
{
    const struct device *device;

    if (!bytes)
        return;
    device = datatype_device(in.type, in.at, mailbox_kinds(call->boxes));
    if (in.type->dense && !device)
        copy_bytes(to, (const char *)in.at + first, bytes);
    else
        engine_note(call, datatype_pack_from(device, in.type, in.at, first, to, bytes));
}

/* Unpacks bytes in the host's memory to a block, which a device may hold. */
static void engine_copy_part(struct coll_call *call, const void *from, struct coll_block to, size_t first,
                             size_t bytes)
{
    const struct device *device = datatype_device(to.type, to.at, mailbox_kinds(call->boxes));

    if (to.type->dense && !device)
        copy_bytes((char *)to.at + first, from, bytes);
    else if (bytes)
        engine_note(call, datatype_unpack_to(device, to.type, to.at, first, from, bytes));
}

void engine_copy_out(struct coll_call *call, const void *from, struct coll_block to)
{
    engine_copy_part(call, from, to, 0, block_bytes(to));
}

void engine_prefetch(const unsigned char *data, size_t bytes)
{
    for (size_t at = 0; bytes <= PREFETCH_MOST && at < bytes; at += PAYLOAD_UNIT)
        __builtin_prefetch(data + at);
}

/* Copies the contribution of `rank` out, from byte `from` on. */
static void engine_take(struct coll_call *call, int rank, size_t from, struct coll_block to)
{
    const unsigned char *data = mailbox_data(call->boxes, rank, call->sequence) + from;

    if (rank != call->boxes->rank)
        engine_prefetch(data, block_bytes(to));
    engine_copy_out(call, data, to);
}

/* Copies out the block of `rank` for this rank, unless it is in its place; `each` are the items of a block. */
static void engine_take_block(struct coll_call *call, int rank, MPI_Count each)
{
    struct mailboxes *s = call->boxes;
    struct coll_block to = call->is_irregular ? block_place_of(&call->places->to, rank)
                                              : block_slice(call->out, rank * each, each);

    if (call->list->collective == COLL_ALLTOALL)
        engine_take(call, rank, block_bytes(to) * (size_t)s->rank, to);
    else if (rank != s->rank || call->in.at != to.at || call->in.type != to.type)
        engine_take(call, rank, 0, to);
}

void engine_keep_block(struct coll_call *call, struct coll_block from, struct coll_block to)
{
    if (from.at != to.at || from.type != to.type)
        engine_note(call, block_copy(from, to, mailbox_kinds(call->boxes)));
}

/* All but this rank's own, which is in its place already unless this is a gather. */
static void engine_take_blocks(struct coll_call *call)
{
    struct mailboxes *s = call->boxes;
    MPI_Count each = call->out.count / s->size;

    for (int i = 1, r = s->rank; i < s->size; i++) {
        r = r + 1 < s->size ? r + 1 : 0;
        engine_take_block(call, r, each);
    }
    if (call->list->collective == COLL_GATHER)
        engine_keep_block(call, call->in, block_slice(call->out, s->rank * each, each));
}

void engine_put(struct coll_call *call, size_t bytes)
{
    mailbox_publish(call->boxes, call->sequence, call->payload, bytes, call->error ? TAG_FAILED : call->tag);
    if (engine_is_to_root(call) && !call->error)
        mailbox_wake(call->boxes, call->root, call->root);
    else
        mailbox_wake(call->boxes, 0, call->boxes->size - 1);
    if (engine_runs_ahead(call))
        mailbox_prefetch(call->boxes, call->sequence);
    call->is_published = call->is_header_published = true;
}

/* A direct call publishes the descriptor of its buffers, or that it does not need the others' any more. */
static bool engine_put_descriptor(struct coll_call *call)
{
    size_t bytes = call->stage == STAGE_EXPOSE ? DESCRIPTOR_BYTES : 0;

    call->payload = mailbox_reserve(call->boxes, call->sequence, bytes, call->sequence, false);
    if (!call->payload)
        return false;
    if (bytes)
        engine_note(call, direct_expose(call, call->payload));
    engine_put(call, bytes);
    return true;
}

/* Packs the contribution, from byte `first` on: of a scatter's root the blocks of the other ranks. */
static void engine_pack(struct coll_call *call, struct coll_block in, unsigned char *to, size_t bytes)
{
    if (call->list->collective != COLL_SCATTER) {
        engine_copy_in(call, in, call->list->collective == COLL_BCAST ? (size_t)call->first : 0, to, bytes);
    } else {
        size_t each = block_bytes(in) - bytes, before = each * (size_t)call->root;

        engine_copy_in(call, in, 0, to, before);
        engine_copy_in(call, in, before + each, to + before, bytes - before);
    }
}

/* Bytes that this rank contributes; `due`: as all ranks agree. */
static size_t engine_bytes(const struct coll_call *call, struct coll_block in, size_t due)
{
    size_t all = block_bytes(in), size = (size_t)call->boxes->size;

    if (call->list->collective == COLL_BCAST ||
        (call->list->collective == COLL_SCATTER && all == call->bytes * size))
        return due;
    return call->list->collective == COLL_SCATTER ? all - all / size : all;
}

/* Copies the contribution into the mailbox. */
static bool engine_put_input(struct coll_call *call)
{
    struct coll_block in = call->stage == STAGE_DOWN ? call->out : call->in;
    size_t due = engine_portion(call), bytes = engine_bytes(call, in, due);
    size_t fitting = bytes <= call->boxes->shape.segment ? bytes : 0;

    call->payload = mailbox_reserve(call->boxes, call->sequence, fitting,
                                    call->sequence + (call->stage == STAGE_COMBINE), engine_runs_ahead(call));
    if (!call->payload)
        return false;
    if (fitting && !call->error)
        engine_pack(call, in, call->payload, fitting);
    engine_put(call, fitting);
    if (bytes != due)
        engine_note(call,
                    fail(MPI_ERR_TRUNCATE, "%zu bytes are sent, where %zu are received", bytes, call->bytes));
    else if (!call->op && call->out.count && !engine_is_from_root(call) && !engine_is_to_root(call))
        /* while those of the others are in flight */
        engine_take_block(call, call->boxes->rank, call->out.count / call->boxes->size);
    return true;
}

bool engine_publish(struct coll_call *call)
{
    if (call->is_published)
        return true;
    if (call->is_direct)
        return engine_put_descriptor(call);
    if (irregular_is(call))
        return irregular_put(call);
    if (call->stage != STAGE_PIECES)
        return engine_put_input(call);
    if (!mailbox_is_writable(call->boxes, call->sequence))
        return false;
    /* combined in place of that piece of the contribution */
    engine_put(call, block_bytes(engine_piece(call, call->out, call->boxes->rank)));
    return true;
}

/* A rank that contributes nothing publishes its header while it waits: others that wait for it see which
 * collective it has called. */
static void engine_publish_header(struct coll_call *call)
{
    unsigned char *place = call->is_header_published
                               ? NULL
                               : mailbox_reserve(call->boxes, call->sequence, 0, call->sequence, false);

    if (!place)
        return;
    mailbox_publish(call->boxes, call->sequence, place, 0, call->tag);
    call->is_header_published = true;
}

/* This rank has failed. False: its line cannot be written yet. */
static bool engine_publish_failure(struct coll_call *call)
{
    if (call->is_header_published) {
        mailbox_wake(call->boxes, 0, call->boxes->size - 1); /* who reads its line finds the error as well */
        return true;
    }
    call->payload = mailbox_reserve(call->boxes, call->sequence, 0, call->sequence, false);
    if (!call->payload)
        return false;
    engine_put(call, 0);
    return true;
}

static size_t engine_expected(const struct coll_call *call, int rank)
{
    if (call->is_direct)
        return call->stage == STAGE_EXPOSE ? DESCRIPTOR_BYTES : 0;
    if (call->is_irregular)
        return block_bytes(block_place_of(&call->places->to, rank));
    return call->stage == STAGE_PIECES ? block_bytes(engine_piece(call, call->out, rank))
                                       : engine_portion(call);
}

/* The line of a rank does not fit this call. */
static int engine_mismatch(const struct coll_call *call, int rank, const struct mailbox_line *line)
{
    uint32_t tag = mailbox_tag(line);

    if (tag == TAG_FAILED)
        return fail(MPI_ERR_OTHER, "rank %d could not do its part of a collective", rank);
    if ((tag ^ call->tag) >> TAG_NUMBER_SHIFT)
        return fail(MPI_ERR_OTHER,
                    "rank %d has started another persistent collective than this rank, and "
                    "mpi_assert_strict_persistent_collective_ordering promises one order on all ranks",
                    rank);
    if (tag != call->tag)
        return fail(MPI_ERR_OTHER, "rank %d has called another collective, or with another root or operation",
                    rank);
    return fail(MPI_ERR_TRUNCATE,
                "rank %d has %u bytes for this collective, where %zu are due: the counts or types of the "
                "ranks do not fit together",
                rank, (unsigned)line->head.bytes, engine_expected(call, rank));
}

static void engine_check(struct coll_call *call, int rank)
{
    const struct mailbox_line *line = mailbox_line(call->boxes, rank, call->sequence);
    uint32_t tag = mailbox_tag(line);

    if (irregular_is(call) && tag == (call->tag | TAG_MESSAGES))
        irregular_expect(call, rank);
    else if (tag != call->tag || (!irregular_is(call) && line->head.bytes != engine_expected(call, rank)))
        engine_note(call, engine_mismatch(call, rank, line));
}

/* Whether `rank` may still publish, or has completed this operation without that; looked at now and then. */
static bool engine_is_awaited(struct coll_call *call, int rank)
{
    struct mailboxes *s = call->boxes;

    if (++call->polls % POLLS_BEFORE_HEADER)
        return true;
    engine_publish_header(call);
    /* acquire: pairs with the release in mailbox_end: what it published before is seen */
    if (atomic_load_explicit(&s->peer[rank].mailbox->done, memory_order_acquire) < call->sequence ||
        mailbox_poll(s, rank, call->sequence))
        return true;
    engine_note(call, fail(MPI_ERR_OTHER,
                           "rank %d has called another collective, or with another root or operation", rank));
    return false;
}

/* Whether all that this rank needs is published; also when it has failed. */
static bool engine_is_ready(struct coll_call *call)
{
    struct mailboxes *s = call->boxes;

    for (; call->next < call->until; call->next++) {
        if (call->error && !(call->stage == STAGE_RELEASE && call->is_exposed) && !irregular_is(call))
            break; /* others may access this rank's buffers only then, or send it messages */
        if (call->next == s->rank)
            continue;
        if (mailbox_poll(s, call->next, call->sequence))
            engine_check(call, call->next);
        else if (engine_is_awaited(call, call->next))
            return false;
    }
    return true;
}

/* The contribution of a rank. This rank's own is read where it lies, if that can be. */
static const unsigned char *engine_vector(const struct coll_call *call, int rank)
{
    return rank == call->boxes->rank && engine_input_stays(call)
               ? call->in.at
               : mailbox_data(call->boxes, rank, call->sequence);
}

/* Combines the contributions of all ranks from item `first` on into `out`, and into `shared` if there is
 * one; in rank order, the last ranks first. */
static void engine_combine(struct coll_call *call, MPI_Count first, struct coll_block out,
                           unsigned char *shared)
{
    _Alignas(16) unsigned char apart[PORTION_BYTES];
    size_t item = (size_t)out.type->size;
    MPI_Count portion = out.count ? PORTION_BYTES / out.type->size : 0;
    bool is_apart = datatype_device(out.type, out.at, mailbox_kinds(call->boxes));
    int last = call->list->collective == COLL_SCAN ? call->boxes->rank - call->root : call->boxes->size - 1;

    for (MPI_Count at = 0; at < out.count && last >= 0; at += portion) {
        struct coll_block part = block_slice(out, at, portion);
        size_t offset = (size_t)(first + at) * item;
        void *sum = is_apart ? apart : part.at;

        copy_bytes(sum, engine_vector(call, last) + offset, block_bytes(part));
        for (int r = last - 1; r >= 0; r--)
            op_apply(call->op, engine_vector(call, r) + offset, sum, part.count, part.type);
        if (shared)
            copy_bytes(shared + offset, sum, block_bytes(part));
        if (is_apart)
            engine_copy_out(call, sum, part);
    }
}

/* No other rank reads this piece of the vector that this rank has published: the result takes its place. */
static void engine_combine_piece(struct coll_call *call)
{
    struct mailboxes *s = call->boxes;
    struct coll_block piece = engine_piece(call, call->out, s->rank);
    MPI_Count first = (MPI_Count)engine_piece_offset(piece, call->out) / piece.type->size;

    engine_combine(call, first, piece, call->payload);
}

static void engine_take_pieces(struct coll_call *call)
{
    struct mailboxes *s = call->boxes;

    for (int i = 1; i < s->size; i++) {
        int r = (s->rank + i) % s->size;
        struct coll_block piece = engine_piece(call, call->out, r);

        engine_copy_out(call,
                        mailbox_payload(s, r, mailbox_line(s, r, call->sequence)) +
                            engine_piece_offset(piece, call->out),
                        piece);
    }
}

static void engine_take_from_root(struct coll_call *call)
{
    struct mailboxes *s = call->boxes;
    const unsigned char *from = mailbox_data(s, call->root, call->sequence);

    if (call->root == s->rank && call->list->collective == COLL_SCATTER) {
        MPI_Count each = call->in.count / s->size;

        engine_keep_block(call, block_slice(call->in, s->rank * each, each), call->out);
    }
    if (call->root == s->rank)
        return;
    if (call->list->collective == COLL_SCATTER) {
        from += call->bytes * (size_t)(s->rank - (s->rank > call->root));
        engine_prefetch(from, call->bytes);
        engine_copy_out(call, from, call->out);
    } else if (call->list->collective == COLL_BCAST) {
        engine_prefetch(from, engine_portion(call));
        engine_copy_part(call, from, call->out, (size_t)call->first, engine_portion(call));
    } else {
        engine_copy_out(call, from, call->out);
    }
}

/* All that this rank needs is published. */
static void engine_conclude(struct coll_call *call)
{
    if (call->is_direct)
        engine_note(call, call->stage == STAGE_EXPOSE ? direct_transfer(call) : MPI_SUCCESS);
    else if (irregular_is(call))
        irregular_take(call);
    else if (engine_is_from_root(call))
        engine_take_from_root(call);
    else if (engine_is_to_root(call) && call->root != call->boxes->rank)
        return;
    else if (call->stage == STAGE_COMBINE)
        engine_combine_piece(call);
    else if (call->stage == STAGE_PIECES)
        engine_take_pieces(call);
    else if (call->op)
        engine_combine(call, call->first, call->out, NULL);
    else if (call->out.count)
        engine_take_blocks(call);
}

/* A root that has not waited finds most likely that the others have published the next call's as well: the
 * cache lines come while this call ends. Where ranks wait for each other, or for a root, this would take lines
 * from those that write them. */
static void engine_fetch_next(const struct coll_call *call)
{
    if (call->polls || call->stage != STAGE_WHOLE || !engine_is_to_root(call))
        return;
    for (int r = 0; r < call->until; r++)
        __builtin_prefetch(mailbox_line(call->boxes, r, call->sequence + 1));
}

bool engine_waits_for_done(const struct coll_call *call)
{
    return !call->is_published || call->error;
}

bool engine_advance(struct coll_call *call)
{
    while ((call->is_published || engine_publish(call)) && engine_is_ready(call)) { /* a waiter comes often */
        if (!call->error) {
            engine_fetch_next(call);
            engine_conclude(call);
        } else if (!engine_publish_failure(call))
            return false;
        mailbox_end(call->boxes, call->sequence);
        if (call->then == STAGE_DONE) {
            if (call->is_direct)
                direct_end(call);
            return true;
        }
        call->sequence++;
        if (call->then == STAGE_WHOLE)
            call->first += (MPI_Count)engine_portion(call);
        engine_enter(call, call->then, call->then == STAGE_WHOLE ? engine_next_stage(call) : STAGE_DONE);
    }
    return false;
}
