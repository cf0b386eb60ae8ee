#include "coll/reach.h"

#include "base/fail.h"
#include "coll/berth.h"
#include "hint/hint.h"
#include "memory/heap.h"
#include "memory/kind.h"
#include "memory/memory.h"
#include "net/net.h"
#include "p2p/lane.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_BYTES = 512 * 1024,       /* moved at a time: each costs a call of the system */
    PORTION_BYTES = 128 * 1024,     /* combined at a time: a few of them stay in a core's cache */
    PORTION_IN_PLACE = 16 * 1024,   /* the same where nothing is fetched: stays in the nearest cache */
    KEPT_MOST = 22,                 /* log2 of the bytes apart that the next call may have again */
    LARGEST_ITEM = PORTION_IN_PLACE /* that is combined */
};

/* What a rank tells of its buffers. */
struct told {
    uint64_t in, out; /* addresses in its memory; 0: nobody looks there */
    uint64_t bytes;   /* that each rank puts in: the same on all */
    uint32_t in_is_mapped, out_is_mapped;
};
_Static_assert(sizeof(struct told) == TOLD_BYTES, "slots.c makes room for it");

/* A rank's buffer, as this one reaches it. */
struct place {
    uint64_t address;  /* in its owner's memory ... */
    unsigned char *at; /* ... and in this rank's; NULL: only the transport gets there */
};

struct reach {
    struct slot_call *call;
    struct slots *slots;
    int rank, size;
    bool is_backward, is_fetched; /* is_fetched: some rank's vector is not mapped */
    unsigned char *out;           /* where this rank's result goes, for now; NULL: to items with gaps */
    unsigned char *room;          /* for two portions; the stations' */
    struct place in[STATION_RANKS], result[STATION_RANKS];
};

/* Which of a rank's buffers it has at all. */
static bool has_in(const struct slot_call *call, int rank)
{
    return call->what != COLL_BCAST || rank == call->root;
}

static bool has_out(const struct slot_call *call, int rank)
{
    return call->what == COLL_REDUCE ? rank == call->root : call->what != COLL_BCAST || rank != call->root;
}

/* Into which results others store. */
static bool is_stored_to(const struct slot_call *call)
{
    return call->what == COLL_REDUCE || call->what == COLL_ALLREDUCE;
}

static bool is_in_place(const struct slot_call *call)
{
    return call->in.at == call->out.at && call->in.type == call->out.type;
}

/* Whether others swap their blocks for those of this rank. */
static bool is_swapped(const struct slot_call *call)
{
    return call->what == COLL_ALLTOALL && is_in_place(call) && !call->in_is_apart;
}

static int64_t kinds_of(const struct slot_call *call)
{
    return hint_buffer_kinds(&call->slots->comm->hints);
}

static bool is_mapped(const struct slot_call *call, const void *at, size_t bytes)
{
    return kinds_of(call) == (int64_t)1 << KIND_MPI && heap_holds(at, bytes);
}

/* Bytes one behind the other that this process can load and store. */
static bool is_plain(const struct slot_call *call, struct block b)
{
    return b.type->dense && !datatype_device(b.type, b.at, kinds_of(call));
}

static bool may_be_reached(const struct slot_call *call, struct block b)
{
    return is_plain(call, b) && (call->slots->is_read || is_mapped(call, b.at, block_bytes(b)));
}

static struct block bytes_at(void *at, size_t bytes)
{
    return (struct block){at, (MPI_Count)bytes, datatype_predefined(MPI_BYTE)};
}

static int copy(const struct slot_call *call, struct block from, struct block to)
{
    return datatype_copy_kinds(from.at, from.count, from.type, to.at, to.count, to.type, kinds_of(call));
}

/* Bytes before the result. */
static size_t in_apart(const struct slot_call *call)
{
    return call->in_is_apart ? (call->due + ROOM_UNIT - 1) / ROOM_UNIT * ROOM_UNIT : 0;
}

static unsigned char *out_apart(const struct slot_call *call)
{
    return call->apart + in_apart(call);
}

/* What an earlier call has left, or new memory, whose pages the system has to give first. What may be kept is
 * a power of two. */
static int take_memory(struct slot_call *call, size_t bytes)
{
    struct slots *s = call->slots;
    void *memory = s->kept;
    bool may_be_kept = bytes <= (size_t)1 << KEPT_MOST;
    int error = MPI_SUCCESS;

    call->apart_log = 0;
    while (may_be_kept && (size_t)1 << call->apart_log < bytes)
        call->apart_log++;
    if (may_be_kept && memory && s->kept_log >= call->apart_log) {
        s->kept = NULL;
        call->apart_log = s->kept_log;
    } else {
        error = memory_alloc(may_be_kept ? (size_t)1 << call->apart_log : bytes, ROOM_UNIT, &memory);
    }
    if (!error)
        call->apart = memory;
    return error;
}

/* For the next call; of two the larger. */
static void leave_memory(struct slot_call *call)
{
    struct slots *s = call->slots;
    void *other = call->apart;

    if (call->apart_log && (!s->kept || s->kept_log < call->apart_log)) {
        other = s->kept;
        s->kept = call->apart;
        s->kept_log = call->apart_log;
    }
    if (other)
        memory_free(other);
    call->apart = NULL;
}

/* Memory that the others map, for buffers that they cannot reach or that are still in use. */
static int make_apart(struct slot_call *call)
{
    int error = take_memory(call, in_apart(call) + (call->out_is_apart ? block_bytes(call->out) : 0));

    if (error)
        return error;
    return call->in_is_apart ? copy(call, call->in, bytes_at(call->apart, call->due)) : MPI_SUCCESS;
}

static int check_apart(const struct slot_call *call)
{
    if (call->slots->is_read || !call->apart || heap_holds(call->apart, 1))
        return MPI_SUCCESS;
    return fail(MPI_ERR_NO_MEM, "no memory that other ranks can map for %zu bytes of a collective",
                call->due);
}

/* A combined result is not unpacked as it comes, and one in place must wait until the others have read. */
static bool result_is_apart(const struct slot_call *call)
{
    if (call->what == COLL_REDUCE_SCATTER)
        return is_in_place(call) || !is_plain(call, call->out);
    return is_stored_to(call) && !may_be_reached(call, call->out);
}

static int set_apart(struct slot_call *call, int rank)
{
    int error;

    call->in_is_apart = has_in(call, rank) && !may_be_reached(call, call->in);
    call->out_is_apart = has_out(call, rank) && result_is_apart(call);
    if (!call->in_is_apart && !call->out_is_apart)
        return MPI_SUCCESS;
    error = make_apart(call);
    return error ? error : check_apart(call);
}

static struct told told_of(const struct slot_call *call, int rank)
{
    struct told told = {.bytes = call->due};
    const void *in = call->in_is_apart ? call->apart : call->in.at;
    const void *out = call->out_is_apart ? out_apart(call) : call->out.at;

    if (has_in(call, rank)) {
        told.in = (uint64_t)(uintptr_t)in;
        told.in_is_mapped = call->in_is_apart ? heap_holds(in, 1) : is_mapped(call, in, call->due);
    }
    if (has_out(call, rank) && (is_stored_to(call) || is_swapped(call))) {
        told.out = (uint64_t)(uintptr_t)out;
        told.out_is_mapped =
            call->out_is_apart ? heap_holds(out, 1) : is_mapped(call, out, block_bytes(call->out));
    }
    return told;
}

int reach_tell(struct slot_call *call, void *line)
{
    struct told told;
    int error = MPI_SUCCESS;

    if (has_in(call, call->slots->rank) && block_bytes(call->in) != call->due)
        error = fail(MPI_ERR_TRUNCATE, "%zu bytes are sent, where %zu are received", block_bytes(call->in),
                     call->due);
    if (!error)
        error = set_apart(call, call->slots->rank);
    told = told_of(call, call->slots->rank);
    memcpy(line, &told, sizeof told);
    return error;
}

void reach_end(struct slot_call *call)
{
    if (!call->apart)
        return;
    if (call->out_is_apart && !call->error)
        call->error = copy(call, bytes_at(out_apart(call), block_bytes(call->out)), call->out);
    leave_memory(call);
}

static void *map(const struct slots *s, int rank, uint64_t address, size_t bytes)
{
    void *there;

    lane_take(&lanes[0]); /* peers are its holder's */
    there = net_map(s->seat[rank].peer, address, bytes);
    lane_release(&lanes[0]);
    return there;
}

static int find_place(const struct slots *s, int rank, uint64_t address, bool is_mapped_there, size_t bytes,
                      struct place *place)
{
    *place = (struct place){address, NULL};
    if (!address)
        return MPI_SUCCESS;
    if (rank == s->rank)
        place->at = (unsigned char *)(uintptr_t)address;
    else if (is_mapped_there && !(place->at = map(s, rank, address, bytes)))
        return fail(MPI_ERR_NO_MEM, "cannot map the buffers of rank %d", rank);
    return MPI_SUCCESS;
}

static const struct told *told_by(const struct slot_call *call, int rank)
{
    return (const void *)slots_data(call->slots, rank, call->number);
}

/* All ranks get the same answer. */
static int check(const struct slot_call *call)
{
    for (int r = 0; r < call->slots->size; r++)
        if (told_by(call, r)->bytes != told_by(call, 0)->bytes)
            return fail(MPI_ERR_TRUNCATE,
                        "rank %d has %llu bytes for this collective, where this one has %llu: the counts or "
                        "types of the ranks do not fit together",
                        r, (unsigned long long)told_by(call, r)->bytes, (unsigned long long)call->due);
    return MPI_SUCCESS;
}

static int reach_all(struct reach *reach)
{
    struct slots *s = reach->slots;
    int error = MPI_SUCCESS;

    for (int r = 0; r < s->size && !error; r++) {
        const struct told *told = told_by(reach->call, r);

        error = find_place(s, r, told->in, told->in_is_mapped, told->bytes, &reach->in[r]);
        if (!error)
            error = find_place(s, r, told->out, told->out_is_mapped, told->bytes, &reach->result[r]);
        reach->is_fetched |= !reach->in[r].at;
    }
    return error;
}

static int get(const struct reach *reach, int rank, size_t at, void *to, size_t bytes)
{
    struct peer *peer = reach->slots->seat[rank].peer;
    struct iovec piece = {to, bytes};
    int error;

    lane_take(&lanes[0]);
    error = peer->transport->get(peer, &piece, 1, reach->in[rank].address + at);
    lane_release(&lanes[0]);
    return error;
}

/* Takes `bytes` bytes at `at` of what a rank puts in. */
static int fetch(const struct reach *reach, int rank, size_t at, void *to, size_t bytes)
{
    const unsigned char *from = reach->in[rank].at;

    if (!from)
        return get(reach, rank, at, to, bytes);
    if (from + at != to)
        memcpy(to, from + at, bytes);
    return MPI_SUCCESS;
}

/* Puts them into a rank's result. */
static int store(const struct reach *reach, int rank, size_t at, const void *from, size_t bytes)
{
    struct peer *peer = reach->slots->seat[rank].peer;
    unsigned char *to = reach->result[rank].at;
    int error;

    if (to && to + at != from)
        memcpy(to + at, from, bytes);
    if (to)
        return MPI_SUCCESS;
    lane_take(&lanes[0]);
    error = peer->transport->put(peer, from, reach->result[rank].address + at, bytes);
    lane_release(&lanes[0]);
    return error;
}

/* The place of part `i` of so many bytes that are gone through in steps of `step`. */
static size_t part_of(const struct reach *reach, size_t i, size_t bytes, size_t step)
{
    return (reach->is_backward ? (bytes - 1) / step - i : i) * step;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Puts bytes that are here to their place in this rank's result. */
static int put_part(const struct reach *reach, size_t to, const void *from, size_t bytes)
{
    const struct slot_call *call = reach->call;

    if (!reach->out)
        return datatype_unpack_to(datatype_device(call->out.type, call->out.at, kinds_of(call)),
                                  call->out.type, call->out.at, to, from, bytes);
    memcpy(reach->out + to, from, bytes);
    return MPI_SUCCESS;
}

/* Takes what goes to items with gaps. */
static int take_part(const struct reach *reach, int rank, size_t from, size_t to, size_t bytes)
{
    const unsigned char *mapped = reach->in[rank].at;
    int error = mapped ? MPI_SUCCESS : get(reach, rank, from, reach->room, bytes);

    return error ? error : put_part(reach, to, mapped ? mapped + from : reach->room, bytes);
}

static int take_block(const struct reach *reach, int rank, size_t from, size_t to, size_t bytes)
{
    size_t step = reach->out ? CHUNK_BYTES : PORTION_BYTES;
    int error = MPI_SUCCESS;

    for (size_t i = 0; i * step < bytes && !error; i++) {
        size_t at = part_of(reach, i, bytes, step), part = least(bytes - at, step);

        error = reach->out ? fetch(reach, rank, from + at, reach->out + to + at, part)
                           : take_part(reach, rank, from + at, to + at, part);
    }
    return error;
}

/* Takes a part of another rank's block for this one and puts that of this one's in its place. */
static int swap_part(const struct reach *reach, int rank, size_t theirs, size_t mine, size_t bytes)
{
    int error = fetch(reach, rank, theirs, reach->room, bytes);

    if (!error)
        error = store(reach, rank, theirs, reach->in[reach->rank].at + mine, bytes);
    return error ? error : put_part(reach, mine, reach->room, bytes);
}

/* In place. Of two ranks whose blocks lie where the other gets to them, each swaps one half; one that has
 * packed its own does all, since the other could not put anything into them. */
static int swap_block(const struct reach *reach, int rank, size_t each)
{
    bool is_alone = reach->call->in_is_apart, is_first = reach->rank < rank;
    size_t half = each / 2 / ROOM_UNIT * ROOM_UNIT;
    size_t begin = is_alone || is_first ? 0 : half, end = is_alone || !is_first ? each : half;
    size_t mine = (size_t)rank * each, theirs = (size_t)reach->rank * each;
    int error = MPI_SUCCESS;

    if (!is_alone && !reach->result[rank].address)
        return MPI_SUCCESS;
    for (size_t i = 0; begin + i * PORTION_BYTES < end && !error; i++) {
        size_t at = begin + part_of(reach, i, end - begin, PORTION_BYTES);

        error = swap_part(reach, rank, theirs + at, mine + at, least(end - at, PORTION_BYTES));
    }
    return error;
}

/* The block of a rank that goes to this one. */
static int take_block_of(const struct reach *reach, int rank)
{
    const struct slot_call *call = reach->call;
    size_t size = (size_t)reach->size, each = call->due, mine = 0;

    if (call->what == COLL_ALLTOALL) {
        each /= size;
        mine = (size_t)reach->rank * each;
        if (is_in_place(call) && rank == reach->rank)
            return MPI_SUCCESS;
        if (is_swapped(call) || reach->result[rank].address)
            return swap_block(reach, rank, each);
    }
    return take_block(reach, rank, mine, (size_t)rank * each, each);
}

/* The ranks behind this one first, then its own; or the other way round. */
static int take_blocks(const struct reach *reach)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < reach->size && !error; i++)
        error = take_block_of(reach,
                              (reach->rank + (reach->is_backward ? reach->size - i : i + 1)) % reach->size);
    return error;
}

/* The root of a reduction has a larger piece, since it does not send its result away. */
static size_t piece_begin(const struct reach *reach, int rank)
{
    const struct slot_call *call = reach->call;
    MPI_Count others = 8 * (reach->size - 1), root = others;
    MPI_Count unit;

    if (call->what == COLL_REDUCE)
        root += 5;
    unit = others * (reach->size - 1) + root;
    return (size_t)(call->in.count / unit * (others * rank + (rank > call->root ? root - others : 0)) +
                    call->in.count % unit * (others * rank + (rank > call->root ? root - others : 0)) /
                        unit) *
           (size_t)call->in.type->size;
}

/* Combines `bytes` bytes at `at` of all ranks' vectors: in rank order, the last ranks first, or, where order
 * does not matter, those before this rank first and its own last. `spare` is as long. */
static int combine_portion(const struct reach *reach, size_t at, size_t bytes, void *sum, void *spare)
{
    struct slot_call *call = reach->call;
    int first = call->op->commutative ? reach->rank + reach->size - 1 : reach->size - 1;
    int error = fetch(reach, first % reach->size, at, sum, bytes);

    for (int i = 1; i < reach->size && !error; i++) {
        int r = (first - i) % reach->size;
        unsigned char *from = reach->in[r].at;

        if (!from)
            error = get(reach, r, at, spare, bytes);
        if (!error)
            op_apply(call->op, from ? from + at : spare, sum, (MPI_Count)bytes / call->in.type->size,
                     call->in.type);
    }
    return error;
}

/* Where it is wanted besides `sum`, which may be this rank's result. */
static int store_portion(const struct reach *reach, size_t at, size_t bytes, const void *sum)
{
    const struct slot_call *call = reach->call;
    int error = MPI_SUCCESS;

    if (call->what == COLL_REDUCE)
        return store(reach, call->root, at, sum, bytes);
    for (int i = 0; call->what == COLL_ALLREDUCE && i < reach->size && !error; i++)
        error = store(reach, (reach->rank + i) % reach->size, at, sum, bytes);
    return error;
}

/* Room for two portions, which stays with the stations. */
static int find_room(struct reach *reach)
{
    struct slots *s = reach->slots;

    if (!s->spare)
        s->spare = malloc((size_t)2 * PORTION_BYTES);
    reach->room = s->spare;
    return reach->room ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory to work on %d bytes", PORTION_BYTES);
}

/* Whether this rank's part of the call needs it. */
static bool needs_room(const struct reach *reach)
{
    return reach->call->op || !reach->out || (reach->call->what == COLL_ALLTOALL && is_in_place(reach->call));
}

/* The part of the vectors from `begin` to `end`, for which `out` is a place to combine it in, if any. */
static int combine_piece(const struct reach *reach, size_t begin, size_t end, unsigned char *out)
{
    size_t item = (size_t)reach->call->in.type->size;
    size_t step = (size_t)(reach->is_fetched ? PORTION_BYTES : PORTION_IN_PLACE) / item * item;
    int error = MPI_SUCCESS;

    for (size_t i = 0; begin + i * step < end && !error; i++) {
        size_t at = part_of(reach, i, end - begin, step), bytes = least(end - begin - at, step);
        unsigned char *sum = out ? out + at : reach->room;

        error = combine_portion(reach, begin + at, bytes, sum, reach->room + PORTION_BYTES);
        if (!error)
            error = store_portion(reach, begin + at, bytes, sum);
    }
    return error;
}

/* In place the result is this rank's input, which is read until it is combined. */
static int combine(const struct reach *reach)
{
    const struct slot_call *call = reach->call;
    size_t begin, end;
    bool is_here = has_out(call, reach->rank) && reach->out != call->in.at;

    if (call->what == COLL_REDUCE_SCATTER) {
        begin = (size_t)call->first * (size_t)call->in.type->size;
        return combine_piece(reach, begin, begin + block_bytes(call->out), reach->out);
    }
    begin = piece_begin(reach, reach->rank);
    end = piece_begin(reach, reach->rank + 1);
    return combine_piece(reach, begin, end, is_here ? reach->out + begin : NULL);
}

int reach_work(struct slot_call *call)
{
    struct slots *s = call->slots;
    struct reach reach = {.call = call, .slots = s, .rank = s->rank, .size = s->size};
    int error = check(call);

    if (error)
        return error;
    call->has_begun = true;
    s->is_backward = !s->is_backward;
    reach.is_backward = s->is_backward;
    reach.out = call->out_is_apart ? out_apart(call) : is_plain(call, call->out) ? call->out.at : NULL;
    error = reach_all(&reach);
    if (!error && needs_room(&reach))
        error = find_room(&reach);
    if (error)
        return error;
    if (call->op)
        return combine(&reach);
    if (call->what != COLL_BCAST)
        return take_blocks(&reach);
    return has_out(call, s->rank) ? take_block(&reach, call->root, 0, 0, call->due) : MPI_SUCCESS;
}

/* Of the largest buffer of a rank. */
static size_t bytes_of(const struct slot_call *call, int size)
{
    return call->what == COLL_ALLGATHER ? call->due * (size_t)size : call->due;
}

struct slots *reach_for(struct comm *comm, enum form form, struct slot_call *call)
{
    struct slots *s;

    if (!choice_reach(call->what, bytes_of(call, comm->size), comm->size))
        return NULL;
    if (call->op && (hint_process.value[HINT_REPRODUCIBLE_REDUCTIONS] || !call->in.type->dense ||
                     call->in.type->size > LARGEST_ITEM))
        return NULL;
    s = slots_to_tell(comm, form);
    call->is_reached = s && (s->is_read || s->is_mapped || s == &berth_none);
    if (s && !call->is_reached && s->quay)
        berth_free(s);
    return call->is_reached ? s : NULL;
}
