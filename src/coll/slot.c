/* One operation through slots: what this rank puts in, what it sees of the others, what comes of it. */
#include "base/copy.h"
#include "base/fail.h"
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

static bool is_rooted(const struct slot_call *call)
{
    return call->what == COLL_BCAST || call->what == COLL_REDUCE;
}

/* Whether one rank puts in all, or one sees all. */
static bool is_from_root(const struct slot_call *call)
{
    return call->what == COLL_BCAST || call->stage == STAGE_DOWN;
}

static bool is_to_root(const struct slot_call *call)
{
    return call->what == COLL_REDUCE || call->stage == STAGE_UP;
}

/* Whether this rank needs to see what `rank` puts in. */
static bool looks_at(const struct slot_call *call, int rank)
{
    if (is_from_root(call))
        return rank == call->root && rank != call->slots->rank;
    return !is_to_root(call) || call->root == call->slots->rank;
}

static bool puts_in(const struct slot_call *call)
{
    return !is_from_root(call) || call->root == call->slots->rank;
}

static uint16_t word_of(const struct slot_call *call)
{
    return (uint16_t)(call->what << ROOT_BITS | (is_rooted(call) ? call->root : 0));
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

static void enter(struct slot_call *call, enum slot_stage stage, enum slot_stage then)
{
    call->stage = stage;
    call->then = then;
    call->looks = 0;
    call->next = 0;
    call->is_published = !puts_in(call);
    call->is_told = false;
}

void slot_begin(struct slot_call *call)
{
    call->number = ++call->slots->number;
    call->error = 0;
    if (call->what == COLL_ALLREDUCE && call->due >= PIECES_LEAST)
        enter(call, STAGE_COMBINE, STAGE_PIECES);
    else if ((call->what == COLL_ALLREDUCE || call->what == COLL_BARRIER) && call->slots->size > FLAT_MOST)
        enter(call, STAGE_UP, STAGE_DOWN);
    else
        enter(call, STAGE_WHOLE, STAGE_DONE);
    call->slots->number += call->then != STAGE_DONE;
}

/* What this rank puts in, packed. */
static void copy_in(struct slot_call *call, struct block in, unsigned char *to)
{
    size_t bytes = block_bytes(in);

    if (in.type->dense && !datatype_device(in.type, in.at, kinds_of(call)))
        copy_bytes(to, in.at, bytes);
    else
        note(call, datatype_copy_kinds(in.at, in.count, in.type, to, (MPI_Count)bytes,
                                       datatype_predefined(MPI_BYTE), kinds_of(call)));
}

/* Copies bytes that the host holds to their place, which a device may hold. */
static void copy_out(struct slot_call *call, const void *from, struct block to)
{
    size_t bytes = block_bytes(to);

    if (to.type->dense && !datatype_device(to.type, to.at, kinds_of(call)))
        copy_bytes(to.at, from, bytes);
    else if (to.count)
        note(call, datatype_copy_kinds(from, (MPI_Count)bytes, datatype_predefined(MPI_BYTE), to.at, to.count,
                                       to.type, kinds_of(call)));
}

/* Lets the others see the line; it says nothing else if this rank has failed. */
static void publish_line(struct slot_call *call, struct line *line)
{
    line->what = call->error ? WORD_FAILED : word_of(call);
    slots_publish(call->slots, call->number);
    if (is_to_root(call) && !call->error)
        slots_wake_one(call->slots, call->root);
    else
        slots_wake(call->slots);
    call->is_published = call->is_told = true;
}

/* The piece has been combined where its part of the vector was. */
static bool publish_piece(struct slot_call *call)
{
    struct slots *s = call->slots;
    struct line *line = slots_line(s, s->rank, call->number);

    if (!slots_may_write(s, call->number))
        return false;
    line->at = call->at;
    line->bytes = (uint32_t)block_bytes(piece_of(call, call->out, s->rank));
    publish_line(call, line);
    return true;
}

/* What this rank puts in is copied to memory that the others see. */
static bool publish_input(struct slot_call *call)
{
    struct slots *s = call->slots;
    struct line *line = slots_line(s, s->rank, call->number);
    struct block in = call->stage == STAGE_DOWN ? call->out : call->in;
    size_t bytes = block_bytes(in);
    unsigned char *place = slots_take(s, call->number, bytes <= s->part ? bytes : 0,
                                      call->number + (call->stage == STAGE_COMBINE));

    if (!place)
        return false;
    if (bytes > s->part)
        note(call, fail(MPI_ERR_COUNT, "%zu bytes are sent, where %zu are received", bytes, call->due));
    else if (bytes && !call->error)
        copy_in(call, in, place);
    call->at = line->at;
    publish_line(call, line);
    return true;
}

bool slot_publish(struct slot_call *call)
{
    return call->is_published || (call->stage == STAGE_PIECES ? publish_piece(call) : publish_input(call));
}

/* This rank has nothing to put in, and waits: others who wait for it are to see that it calls something else.
 */
static void tell_of_waiting(struct slot_call *call)
{
    struct slots *s = call->slots;

    if (call->is_told || !slots_take(s, call->number, 0, call->number))
        return;
    slots_line(s, s->rank, call->number)->what = word_of(call);
    slots_publish(s, call->number);
    call->is_told = true;
}

/* A rank that has failed and has not been heard of; false: its line cannot be written yet. */
static bool tell_of_failure(struct slot_call *call)
{
    struct slots *s = call->slots;

    if (call->is_told) {
        slots_wake(s); /* who sees that this rank is here finds the error as well */
        return true;
    }
    if (!slots_take(s, call->number, 0, call->number))
        return false;
    publish_line(call, slots_line(s, s->rank, call->number));
    return true;
}

static size_t due_from(const struct slot_call *call, int rank)
{
    return call->stage == STAGE_PIECES ? block_bytes(piece_of(call, call->out, rank)) : call->due;
}

/* Whether what a rank has put in fits to this call. */
static bool fits(struct slot_call *call, int rank)
{
    const struct line *line = slots_line(call->slots, rank, call->number);
    size_t due = due_from(call, rank);

    if (line->what == WORD_FAILED)
        note(call, fail(MPI_ERR_OTHER, "rank %d could not do its part of a collective", rank));
    else if (line->what != word_of(call))
        note(call, fail(MPI_ERR_OTHER, "rank %d has called another collective, or with another root", rank));
    else if (line->bytes != due)
        note(call, fail(MPI_ERR_TRUNCATE,
                        "rank %d has %u bytes for this collective, where %zu are due: the counts or types of "
                        "the ranks do not fit together",
                        rank, (unsigned)line->bytes, due));
    return !call->error;
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
    if (has_gone(call, rank))
        note(call, fail(MPI_ERR_OTHER, "rank %d has called another collective, or with another root", rank));
    return !call->error;
}

/* Whether all that this rank needs to see is published; also when it has failed. */
static bool is_ready(struct slot_call *call)
{
    struct slots *s = call->slots;

    for (; call->next < s->size && !call->error; call->next++) {
        if (!looks_at(call, call->next))
            continue;
        if (call->next != s->rank && !slots_look(s, call->next, call->number))
            return !will_come(call, call->next);
        fits(call, call->next);
    }
    return true;
}

/* What a rank has put in. This one's own is taken from where it still lies, if that can be. */
static const unsigned char *vector_of(const struct slot_call *call, int rank)
{
    if (rank != call->slots->rank || call->in.at == call->out.at ||
        datatype_device(call->in.type, call->in.at, kinds_of(call)))
        return slots_data(call->slots, rank, call->number);
    return call->in.at;
}

/* Combines what all ranks have put in from item `first` on for `out`, and for `shared` if there is one; in
 * rank order, the last ranks first. */
static void combine(struct slot_call *call, MPI_Count first, struct block out, unsigned char *shared)
{
    _Alignas(16) unsigned char apart[PORTION_BYTES];
    size_t item = (size_t)out.type->size;
    MPI_Count portion = out.count ? PORTION_BYTES / out.type->size : 0;
    bool is_apart = datatype_device(out.type, out.at, kinds_of(call));
    int last = call->slots->size - 1;

    for (MPI_Count at = 0; at < out.count; at += portion) {
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

    combine(call, first, piece, slots_room(s, s->rank, slots_line(s, s->rank, call->number)));
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

static void take_blocks(struct slot_call *call)
{
    struct slots *s = call->slots;
    MPI_Count each = call->out.count / s->size;
    size_t mine = call->what == COLL_ALLTOALL ? call->due / (size_t)s->size * (size_t)s->rank : 0;

    for (int i = 0; i < s->size; i++) {
        int r = (s->rank + i) % s->size;
        struct block to = block_slice(call->out, r * each, each);

        if (r != s->rank || call->in.at != to.at || call->in.type != to.type || call->what == COLL_ALLTOALL)
            copy_out(call, slots_data(s, r, call->number) + mine, to);
    }
}

static void take_from_root(struct slot_call *call)
{
    if (call->root != call->slots->rank)
        copy_out(call, slots_data(call->slots, call->root, call->number), call->out);
}

/* All data that this rank needs is there. */
static void conclude(struct slot_call *call)
{
    if (is_from_root(call))
        take_from_root(call);
    else if (is_to_root(call) && call->root != call->slots->rank)
        return;
    else if (call->stage == STAGE_COMBINE)
        combine_piece(call);
    else if (call->stage == STAGE_PIECES)
        take_pieces(call);
    else if (call->op)
        combine(call, call->first, call->out, NULL);
    else if (call->out.count)
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
    if (!try_one(call))
        return false;
    if (call->then == STAGE_DONE)
        return true;
    call->number++;
    enter(call, call->then, STAGE_DONE);
    return try_one(call);
}
