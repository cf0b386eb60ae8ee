#include "coll/reach.h"

#include "base/fail.h"
#include "coll/station.h"
#include "hint/hint.h"
#include "memory/heap.h"
#include "memory/kind.h"
#include "net/net.h"
#include "p2p/lane.h"

#include <string.h>

enum {
    REACH_LEAST = 128 * 1024, /* bytes: below it other ways are as fast */
    NEXT_ASK = 64,            /* after a no: calls that do not ask */
    PORTION_BYTES = 16 * 1024 /* combined at a time: stays in the nearest cache */
};

/* What a rank tells of its buffers. */
struct buffers {
    uint64_t in, out;     /* addresses in its memory; 0: it has none */
    uint64_t bytes, what; /* of the call: the same on all ranks */
    uint64_t is_reached;
};

/* All ranks' buffers, as this one reaches them. */
struct reach {
    struct slot_call *call;
    int rank, size;
    unsigned char *in[STATION_RANKS], *out[STATION_RANKS];
};

static bool may_be_reached(const struct block *b)
{
    return b->type->dense && heap_holds(b->at, block_bytes(*b));
}

/* Which of a call's buffers the others look at or write to. */
static bool gives(const struct slot_call *call, int rank)
{
    return call->what != COLL_BCAST || rank == call->root;
}

static bool takes(const struct slot_call *call, int rank)
{
    return call->what == COLL_ALLREDUCE || (call->what == COLL_REDUCE && rank == call->root);
}

static struct buffers tell(const struct slot_call *call, const struct comm *comm)
{
    struct buffers b = {.bytes = call->due,
                        .what = (uint64_t)call->what << 32 | (uint32_t)call->root,
                        .is_reached = hint_buffer_kinds(&comm->hints) == (int64_t)1 << KIND_MPI};

    if (gives(call, comm->rank)) {
        b.in = (uint64_t)(uintptr_t)call->in.at;
        b.is_reached &= may_be_reached(&call->in);
    }
    if (takes(call, comm->rank)) {
        b.out = (uint64_t)(uintptr_t)call->out.at;
        b.is_reached &= may_be_reached(&call->out);
    }
    if (!call->out.type->dense || call->out.type->size > PORTION_BYTES)
        b.is_reached = 0;
    return b;
}

static void *map(const struct slots *s, int rank, uint64_t address, size_t bytes)
{
    void *there;

    if (rank == s->rank || !address)
        return (void *)(uintptr_t)address;
    lane_take(&lanes[0]); /* peers are its holder's */
    there = net_map(s->seat[rank].peer, address, bytes);
    lane_release(&lanes[0]);
    return there;
}

/* All ranks get the same answer. */
static int check(const struct buffers *all, const struct buffers *mine, int size)
{
    for (int r = 0; r < size; r++)
        if (all[r].what != all[0].what)
            return fail(MPI_ERR_OTHER, "rank %d has called another collective, or with another root", r);
    for (int r = 0; r < size; r++)
        if (all[r].bytes != all[0].bytes)
            return fail(MPI_ERR_TRUNCATE,
                        "rank %d has %llu bytes for this collective, where this one has %llu: the counts or "
                        "types of the ranks do not fit together",
                        r, (unsigned long long)all[r].bytes, (unsigned long long)mine->bytes);
    return MPI_SUCCESS;
}

static int reach_all(struct reach *reach, const struct slots *s, const struct buffers *all)
{
    for (int r = 0; r < s->size; r++) {
        reach->in[r] = map(s, r, all[r].in, all[r].bytes);
        reach->out[r] = map(s, r, all[r].out, all[r].bytes);
        if (!reach->in[r] != !all[r].in || !reach->out[r] != !all[r].out)
            return fail(MPI_ERR_NO_MEM, "cannot map the buffers of rank %d", r);
    }
    return MPI_SUCCESS;
}

static MPI_Count piece_begin(const struct reach *reach, int rank)
{
    MPI_Count count = reach->call->in.count, rest = count % reach->size;

    return count / reach->size * rank + (rank < rest ? rank : rest);
}

/* Combines `bytes` bytes at `at` of all ranks' vectors, in rank order, the last ranks first. */
static void combine_portion(const struct reach *reach, size_t at, size_t bytes, void *sum)
{
    struct datatype *type = reach->call->in.type;

    memcpy(sum, reach->in[reach->size - 1] + at, bytes);
    for (int r = reach->size - 2; r >= 0; r--)
        op_apply(reach->call->op, reach->in[r] + at, sum, (MPI_Count)bytes / type->size, type);
}

/* Each rank combines a piece, for the root's result or its own. Where the result is this rank's input as
 * well, or another rank's memory, a portion is combined apart. */
static void combine_piece(const struct reach *reach)
{
    _Alignas(64) unsigned char apart[PORTION_BYTES];
    const struct slot_call *call = reach->call;
    unsigned char *out = reach->out[call->what == COLL_REDUCE ? call->root : reach->rank];
    bool is_apart = out != call->out.at || out == call->in.at;
    size_t item = (size_t)call->in.type->size, portion = PORTION_BYTES / item * item;
    size_t end = (size_t)piece_begin(reach, reach->rank + 1) * item;

    for (size_t at = (size_t)piece_begin(reach, reach->rank) * item; at < end; at += portion) {
        size_t bytes = end - at < portion ? end - at : portion;

        combine_portion(reach, at, bytes, is_apart ? apart : out + at);
        if (is_apart)
            memcpy(out + at, apart, bytes);
    }
}

static void take_pieces(const struct reach *reach)
{
    size_t item = (size_t)reach->call->in.type->size;

    for (int i = 1; i < reach->size; i++) {
        int r = (reach->rank + i) % reach->size;
        size_t at = (size_t)piece_begin(reach, r) * item, end = (size_t)piece_begin(reach, r + 1) * item;

        memcpy(reach->out[reach->rank] + at, reach->out[r] + at, end - at);
    }
}

static void take_blocks(const struct reach *reach)
{
    struct block out = reach->call->out;
    MPI_Count each = out.count / reach->size;

    for (int i = 0; i < reach->size; i++) {
        int r = (reach->rank + i) % reach->size;
        struct block to = block_slice(out, r * each, each);
        size_t bytes = block_bytes(to);

        if (reach->in[r] != to.at)
            memcpy(to.at, reach->in[r], bytes);
    }
}

/* What every rank says about something, to all. */
static int ask(struct slots *s, const void *mine, void *all, size_t bytes)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE);

    return slots_run(s, (struct slot_call){.what = COLL_ASK,
                                           .in = block_at(mine, 0, (MPI_Count)bytes, byte),
                                           .out = {all, (MPI_Count)bytes * s->size, byte},
                                           .due = bytes});
}

/* All have come here, and none has failed so far. */
static int wait_for_all(struct slots *s, int error)
{
    uint64_t errors[STATION_RANKS], mine = (uint64_t)error;
    int failed = ask(s, &mine, errors, sizeof mine);

    for (int r = 0; r < s->size && !error && !failed; r++)
        if (errors[r])
            return fail((int)errors[r], "rank %d could not do its part of a collective", r);
    return error ? error : failed;
}

/* Nobody leaves while his buffers are in use: a broadcast's root waits for all, others go. */
static int broadcast(const struct reach *reach, struct slots *s, int error)
{
    const struct slot_call *call = reach->call;
    int ended;

    if (!error && reach->rank != call->root)
        memcpy(call->out.at, reach->in[call->root], call->due);
    ended =
        slots_run(s, (struct slot_call){
                         .what = COLL_REDUCE, .root = call->root, .in = block_empty(), .out = block_empty()});
    return error ? error : ended;
}

/* Does the call, if nothing has failed so far, and waits for the others in any case. */
static int work(const struct reach *reach, struct slots *s, int error)
{
    enum collective what = reach->call->what;

    if (what == COLL_BCAST)
        return broadcast(reach, s, error);
    if (!error && what == COLL_ALLGATHER)
        take_blocks(reach);
    else if (!error)
        combine_piece(reach);
    error = wait_for_all(s, error);
    if (error || what != COLL_ALLREDUCE)
        return error;
    take_pieces(reach);
    return wait_for_all(s, error);
}

static bool all_say_yes(const struct buffers *all, int size)
{
    for (int r = 0; r < size; r++)
        if (!all[r].is_reached)
            return false;
    return true;
}

bool reach_do(struct comm *comm, enum form form, struct slot_call call, int *error)
{
    struct buffers mine, all[STATION_RANKS];
    struct reach reach = {.call = &call, .rank = comm->rank, .size = comm->size};
    struct slots *s;

    if (form != FORM_BLOCKING || call.due < REACH_LEAST || (call.what == COLL_BCAST && comm->size == 2))
        return false; /* of two ranks both copy a broadcast: p2p/joint.c */
    if (call.op && hint_process.value[HINT_REPRODUCIBLE_REDUCTIONS])
        return false;
    s = slots_for(comm, form, COLL_BARRIER, 0);
    if (!s || (s->not_asked && s->not_asked--))
        return false;
    mine = tell(&call, comm);
    *error = ask(s, &mine, all, sizeof mine);
    if (*error)
        return true;
    if (!all_say_yes(all, s->size)) {
        s->not_asked = NEXT_ASK;
        return false;
    }
    *error = check(all, &mine, s->size);
    if (*error)
        return true;
    *error = work(&reach, s, reach_all(&reach, s, all));
    return true;
}
