/* One operation through slots: what this rank puts in, what it sees of the others, what comes of it. */
#include "base/copy.h"
#include "base/fail.h"
#include "coll/reach.h"
#include "coll/slots.h"
#include "coll/station.h"

enum {
    ROOT_BITS = 6,
    WORD_FAILED = 0xffff,
    PORTION_BYTES = 4096,     /* combined at a time: stays in the nearest cache */
    PIECES_LEAST = 16 * 1024, /* bytes from which on an allreduce is combined in pieces */
    FLAT_MOST = 8,            /* ranks that all look at all others for a barrier or an allreduce */
    LOOKS_BEFORE_TELLING = 20 /* fewer than those before a rank sleeps */
};

/* Whether one rank puts in all, or one sees all. */
static bool is_from_root(const struct slot_call *call)
{
    return (call->what == COLL_BCAST && !call->is_reached) || call->what == COLL_SCATTER ||
           call->stage == STAGE_DOWN;
}

/* Only the root of a broadcast must know that its buffer is not needed any more. */
static bool is_to_root(const struct slot_call *call)
{
    if (call->is_reached)
        return call->what == COLL_BCAST && call->stage == STAGE_LEAVE;
    return call->what == COLL_REDUCE || call->what == COLL_GATHER || call->stage == STAGE_UP;
}

/* Whether this rank looks at nobody. */
static bool runs_ahead(const struct slot_call *call)
{
    return call->next >= call->until;
}

static void note(struct slot_call *call, int error)
{
    if (error && !call->error)
        call->error = error;
}

static int64_t kinds_of(const struct slot_call *call)
{
    return hint_buffer_kinds(&call->slots->comm->hints);
}

/* The piece of the vector that a rank combines: whole cache lines, where items allow it. */
static struct block piece_of(const struct slot_call *call, struct block vector, int rank)
{
    MPI_Count size = call->slots->size, each = (vector.count + size - 1) / size;
    MPI_Count unit = ROOM_UNIT % vector.type->size ? 1 : ROOM_UNIT / vector.type->size;
    MPI_Count first = (each + unit - 1) / unit * unit * rank;

    if (first > vector.count)
        first = vector.count;
    return block_slice(vector, first, (each + unit - 1) / unit * unit);
}

static size_t offset_of(struct block piece, struct block vector)
{
    return (size_t)((char *)piece.at - (char *)vector.at);
}

/* Whether this rank can take what it puts in from where that lies: not from where the result goes. */
static bool stays_put(const struct slot_call *call)
{
    return !call->in.count || call->what == COLL_GATHER ||
           (call->in.at != call->out.at && !datatype_device(call->in.type, call->in.at, kinds_of(call)));
}

/* Who looks at whom. A root that looks at all has seen its own vector. */
static void enter(struct slot_call *call, enum slot_stage stage, enum slot_stage then)
{
    bool is_root = call->root == call->slots->rank;

    call->stage = stage;
    call->then = then;
    call->looks = 0;
    call->next = 0;
    call->until = (uint8_t)call->slots->size;
    call->is_published = false;
    call->is_told = false;
    if (is_from_root(call)) {
        call->next = (uint8_t)call->root;
        call->until = (uint8_t)(call->root + !is_root);
        call->is_published = !is_root;
    } else if (is_to_root(call)) {
        if (!is_root)
            call->until = 0;
        call->is_published = is_root && stays_put(call);
    } else if (call->what == COLL_SCAN) { /* nobody looks at the last one's */
        call->until = (uint8_t)call->slots->rank;
        call->is_published = call->slots->rank == call->slots->size - 1 && (call->root || stays_put(call));
    }
}

/* Bytes that go with one number: not all of a long broadcast. */
static size_t portion_of(const struct slot_call *call)
{
    size_t most = BCAST_MOST < call->slots->shape.part ? BCAST_MOST : call->slots->shape.part, rest;

    if (call->what != COLL_BCAST)
        return call->due;
    rest = call->due - (size_t)call->first;
    return rest < most ? rest : most;
}

/* What comes behind this portion. */
static enum slot_stage next_stage(const struct slot_call *call)
{
    return call->what == COLL_BCAST && (size_t)call->first + portion_of(call) < call->due ? STAGE_WHOLE
                                                                                          : STAGE_DONE;
}

/* Each takes as many numbers on all ranks. */
void slot_begin(struct slot_call *call)
{
    call->number = ++call->slots->number;
    call->error = 0;
    call->has_begun = false;
    call->word = (uint16_t)(call->what << ROOT_BITS | call->root);
    if (call->what == COLL_BCAST)
        call->first = 0;
    if (call->is_reached)
        enter(call, STAGE_TELL, STAGE_LEAVE);
    else if (call->what == COLL_ALLREDUCE && call->due >= PIECES_LEAST)
        enter(call, STAGE_COMBINE, STAGE_PIECES);
    else if ((call->what == COLL_ALLREDUCE || call->what == COLL_BARRIER) && call->slots->size > FLAT_MOST)
        enter(call, STAGE_UP, STAGE_DOWN);
    else
        enter(call, STAGE_WHOLE, next_stage(call));
    if (call->then == STAGE_WHOLE)
        call->slots->number += (call->due - 1) / portion_of(call);
    else
        call->slots->number += call->then != STAGE_DONE;
}

/* With the next number. */
static void go_on(struct slot_call *call)
{
    call->number++;
    if (call->then == STAGE_WHOLE)
        call->first += (MPI_Count)portion_of(call);
    enter(call, call->then, call->then == STAGE_WHOLE ? next_stage(call) : STAGE_DONE);
}

/* Some of what this rank puts in, packed: `bytes` bytes from byte `first` on. */
static void copy_in(struct slot_call *call, struct block in, size_t first, unsigned char *to, size_t bytes)
{
    const struct device *device = datatype_device(in.type, in.at, kinds_of(call));

    if (in.type->dense && !device)
        copy_bytes(to, (const char *)in.at + first, bytes);
    else if (bytes)
        note(call, datatype_pack_from(device, in.type, in.at, first, to, bytes));
}

/* Copies bytes that the host holds to their place, which a device may hold. */
static void copy_part(struct slot_call *call, const void *from, struct block to, size_t first, size_t bytes)
{
    const struct device *device = datatype_device(to.type, to.at, kinds_of(call));

    if (to.type->dense && !device)
        copy_bytes((char *)to.at + first, from, bytes);
    else if (bytes)
        note(call, datatype_unpack_to(device, to.type, to.at, first, from, bytes));
}

static void copy_out(struct slot_call *call, const void *from, struct block to)
{
    copy_part(call, from, to, 0, block_bytes(to));
}

/* Asks for all lines of what another rank has put in at once: copying alone asks for a few at a time. */
static void fetch(const unsigned char *data, size_t bytes)
{
    for (size_t at = 0; bytes <= NARROW_MOST && at < bytes; at += ROOM_UNIT)
        __builtin_prefetch(data + at);
}

/* Takes what `rank` has put in, from byte `from` on. */
static void take(struct slot_call *call, int rank, size_t from, struct block to)
{
    const unsigned char *data = slots_data(call->slots, rank, call->number) + from;

    if (rank != call->slots->rank)
        fetch(data, block_bytes(to));
    copy_out(call, data, to);
}

/* The block that `rank` has put in for this one, unless it is there already. */
static void take_block(struct slot_call *call, int rank)
{
    struct slots *s = call->slots;
    MPI_Count each = call->out.count / s->size;
    struct block to = block_slice(call->out, rank * each, each);

    if (call->what == COLL_ALLTOALL)
        take(call, rank, call->due / (size_t)s->size * (size_t)s->rank, to);
    else if (rank != s->rank || call->in.at != to.at || call->in.type != to.type)
        take(call, rank, 0, to);
}

static void take_blocks(struct slot_call *call)
{
    struct slots *s = call->slots;

    for (int i = 1; i < s->size; i++)
        take_block(call, (s->rank + i) % s->size);
}

/* A block that a root keeps, unless it is in its place. */
static void keep_block(struct slot_call *call, struct block from, struct block to)
{
    if (from.at != to.at || from.type != to.type)
        note(call,
             datatype_copy_kinds(from.at, from.count, from.type, to.at, to.count, to.type, kinds_of(call)));
}

static void gather_blocks(struct slot_call *call)
{
    struct slots *s = call->slots;
    MPI_Count each = call->out.count / s->size;

    take_blocks(call);
    if (call->out.count)
        keep_block(call, call->in, block_slice(call->out, s->rank * each, each));
}

static bool has_blocks(const struct slot_call *call)
{
    return !call->op && call->out.count && !is_from_root(call) && !is_to_root(call);
}

/* Lets the others see what this rank has put in at call->place; its line says nothing else if it has failed.
 */
static void publish(struct slot_call *call, size_t bytes)
{
    slots_publish(call->slots, call->number, call->place, bytes, call->error ? WORD_FAILED : call->word);
    if (is_to_root(call) && !call->error)
        slots_wake_one(call->slots, call->root);
    else
        slots_wake(call->slots);
    if (runs_ahead(call))
        slots_ask(call->slots, call->number);
    call->is_published = call->is_told = true;
}

/* The piece has been combined where its part of the vector was. */
static bool publish_piece(struct slot_call *call)
{
    if (!slots_may_write(call->slots, call->number))
        return false;
    publish(call, block_bytes(piece_of(call, call->out, call->slots->rank)));
    return true;
}

/* This rank tells where its buffers are, or that it does not need the others' any more. */
static bool publish_news(struct slot_call *call)
{
    size_t bytes = call->stage == STAGE_TELL ? TOLD_BYTES : 0;

    call->place = slots_take(call->slots, call->number, bytes, call->number, false);
    if (!call->place)
        return false;
    if (bytes)
        note(call, reach_tell(call, call->place));
    publish(call, bytes);
    return true;
}

/* What this rank puts in is copied to memory that the others see. */
static bool publish_input(struct slot_call *call)
{
    struct block in = call->stage == STAGE_DOWN ? call->out : call->in;
    bool is_bcast = call->what == COLL_BCAST;
    size_t bytes = is_bcast ? portion_of(call) : block_bytes(in);
    size_t fitting = bytes <= call->slots->shape.part ? bytes : 0;

    call->place = slots_take(call->slots, call->number, fitting,
                             call->number + (call->stage == STAGE_COMBINE), runs_ahead(call));
    if (!call->place)
        return false;
    if (fitting && !call->error)
        copy_in(call, in, is_bcast ? (size_t)call->first : 0, call->place, fitting);
    publish(call, fitting);
    if (bytes != portion_of(call))
        note(call, fail(MPI_ERR_TRUNCATE, "%zu bytes are sent, where %zu are received", bytes, call->due));
    else if (has_blocks(call)) /* while those of the others are on their way */
        take_block(call, call->slots->rank);
    return true;
}

bool slot_publish(struct slot_call *call)
{
    if (call->is_published)
        return true;
    if (call->is_reached)
        return publish_news(call);
    return call->stage == STAGE_PIECES ? publish_piece(call) : publish_input(call);
}

/* This rank has nothing to put in, and waits: others who wait for it are to see that it calls something else.
 */
static void tell_of_waiting(struct slot_call *call)
{
    unsigned char *place =
        call->is_told ? NULL : slots_take(call->slots, call->number, 0, call->number, false);

    if (!place)
        return;
    slots_publish(call->slots, call->number, place, 0, call->word);
    call->is_told = true;
}

/* A rank that has failed and has not been heard of; false: its line cannot be written yet. */
static bool tell_of_failure(struct slot_call *call)
{
    if (call->is_told) {
        slots_wake(call->slots); /* who sees that this rank is here finds the error as well */
        return true;
    }
    call->place = slots_take(call->slots, call->number, 0, call->number, false);
    if (!call->place)
        return false;
    publish(call, 0);
    return true;
}

static size_t due_from(const struct slot_call *call, int rank)
{
    if (call->is_reached)
        return call->stage == STAGE_TELL ? TOLD_BYTES : 0;
    return call->stage == STAGE_PIECES ? block_bytes(piece_of(call, call->out, rank)) : portion_of(call);
}

/* What a rank has put in does not fit to this call. */
static int refuse(const struct slot_call *call, int rank, const struct saying *says)
{
    if (says->what == WORD_FAILED)
        return fail(MPI_ERR_OTHER, "rank %d could not do its part of a collective", rank);
    if (says->what != call->word)
        return fail(MPI_ERR_OTHER, "rank %d has called another collective, or with another root", rank);
    return fail(MPI_ERR_TRUNCATE,
                "rank %d has %u bytes for this collective, where %zu are due: the counts or types of the "
                "ranks do not fit together",
                rank, (unsigned)says->bytes, due_from(call, rank));
}

static void check(struct slot_call *call, int rank)
{
    const struct saying *says = &slots_line(call->slots, rank, call->number)->says;

    if (says->what != call->word || says->bytes != due_from(call, rank))
        note(call, refuse(call, rank, says));
}

/* A rank has ended the operation of this number and has put in nothing. */
static bool has_gone(const struct slot_call *call, int rank)
{
    struct slots *s = call->slots;

    /* pairs with the release in slots_end: what it had published before is seen */
    return atomic_load_explicit(&s->seat[rank].station->done, memory_order_acquire) >= call->number &&
           !slots_look(s, rank, call->number);
}

/* Now and then, while `rank` does not publish. False: it will not. */
static bool will_come(struct slot_call *call, int rank)
{
    if (++call->looks % LOOKS_BEFORE_TELLING)
        return true;
    tell_of_waiting(call);
    if (!has_gone(call, rank))
        return true;
    note(call, fail(MPI_ERR_OTHER, "rank %d has called another collective, or with another root", rank));
    return false;
}

/* An error ends a call at once, unless others may be at this rank's buffers. */
static bool must_look(const struct slot_call *call)
{
    return !call->error || (call->stage == STAGE_LEAVE && call->has_begun);
}

/* Whether all that this rank needs to see is published; also when it has failed. */
static bool is_ready(struct slot_call *call)
{
    struct slots *s = call->slots;

    for (; call->next < call->until && must_look(call); call->next++) {
        if (call->next == s->rank)
            continue;
        if (slots_look(s, call->next, call->number))
            check(call, call->next);
        else if (will_come(call, call->next))
            return false;
    }
    return true;
}

/* What a rank has put in. This one's own is taken from where it still lies, if that can be. */
static const unsigned char *vector_of(const struct slot_call *call, int rank)
{
    return rank == call->slots->rank && stays_put(call) ? call->in.at
                                                        : slots_data(call->slots, rank, call->number);
}

/* Combines what all ranks have put in from item `first` on for `out`, and for `shared` if there is one; in
 * rank order, the last ranks first. */
static void combine(struct slot_call *call, MPI_Count first, struct block out, unsigned char *shared)
{
    _Alignas(16) unsigned char apart[PORTION_BYTES];
    size_t item = (size_t)out.type->size;
    MPI_Count portion = out.count ? PORTION_BYTES / out.type->size : 0;
    bool is_apart = datatype_device(out.type, out.at, kinds_of(call));
    int last = call->what == COLL_SCAN ? call->slots->rank - call->root : call->slots->size - 1;

    for (MPI_Count at = 0; at < out.count && last >= 0; at += portion) {
        struct block part = block_slice(out, at, portion);
        size_t offset = (size_t)(first + at) * item;
        void *sum = is_apart ? apart : part.at;

        copy_bytes(sum, vector_of(call, last) + offset, block_bytes(part));
        for (int r = last - 1; r >= 0; r--)
            op_apply(call->op, vector_of(call, r) + offset, sum, part.count, part.type);
        if (shared)
            copy_bytes(shared + offset, sum, block_bytes(part));
        if (is_apart)
            copy_out(call, sum, part);
    }
}

/* Only this rank looks at its piece of the vector that it has published: the result can take its place. */
static void combine_piece(struct slot_call *call)
{
    struct slots *s = call->slots;
    struct block piece = piece_of(call, call->out, s->rank);
    MPI_Count first = (MPI_Count)offset_of(piece, call->out) / piece.type->size;

    combine(call, first, piece, call->place);
}

static void take_pieces(struct slot_call *call)
{
    struct slots *s = call->slots;

    for (int i = 1; i < s->size; i++) {
        int r = (s->rank + i) % s->size;
        struct block piece = piece_of(call, call->out, r);

        copy_out(call, slots_room(s, r, slots_line(s, r, call->number)) + offset_of(piece, call->out), piece);
    }
}

static void take_from_root(struct slot_call *call)
{
    struct slots *s = call->slots;
    const unsigned char *from = slots_data(s, call->root, call->number);
    MPI_Count each = call->in.count / s->size;

    if (call->root == s->rank && call->what == COLL_SCATTER)
        keep_block(call, block_slice(call->in, s->rank * each, each), call->out);
    if (call->root == s->rank)
        return;
    if (call->what == COLL_SCATTER) {
        copy_out(call, from + call->due / (size_t)s->size * (size_t)s->rank, call->out);
    } else if (call->what == COLL_BCAST) {
        fetch(from, portion_of(call));
        copy_part(call, from, call->out, (size_t)call->first, portion_of(call));
    } else {
        copy_out(call, from, call->out);
    }
}

/* All data that this rank needs is there. */
static void conclude(struct slot_call *call)
{
    if (call->is_reached)
        note(call, call->stage == STAGE_TELL ? reach_work(call) : MPI_SUCCESS);
    else if (is_from_root(call))
        take_from_root(call);
    else if (is_to_root(call) && call->root != call->slots->rank)
        return;
    else if (call->stage == STAGE_COMBINE)
        combine_piece(call);
    else if (call->stage == STAGE_PIECES)
        take_pieces(call);
    else if (call->what == COLL_GATHER)
        gather_blocks(call);
    else if (call->op)
        combine(call, call->first, call->out, NULL);
    else if (has_blocks(call))
        take_blocks(call);
}

bool slot_waits_for_done(const struct slot_call *call)
{
    return !call->is_published || call->error;
}

/* One operation. */
static bool try_one(struct slot_call *call)
{
    if (!slot_publish(call) || !is_ready(call))
        return false;
    if (!call->error)
        conclude(call);
    else if (!tell_of_failure(call))
        return false;
    slots_end(call->slots, call->number);
    return true;
}

bool slot_try(struct slot_call *call)
{
    while (try_one(call)) {
        if (call->then == STAGE_DONE) {
            if (call->is_reached)
                reach_end(call);
            return true;
        }
        go_on(call);
    }
    return false;
}
