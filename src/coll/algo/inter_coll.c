#include "coll/algo/inter_coll.h"

static void inter_enter_local(struct schedule *s)
{
    const struct comm *comm = s->owner;

    schedule_enter(
        s, (struct schedule_team){.first = comm_whole_local(comm, 0), .size = comm->size, .me = comm->rank});
}

/* This process is not in it. */
static void inter_enter_remote(struct schedule *s)
{
    const struct comm *comm = s->owner;

    schedule_enter(
        s, (struct schedule_team){.first = comm_whole_remote(comm, 0), .size = comm->remote->size, .me = -1});
}

static void inter_bcast(struct schedule *s, const struct coll_call *call)
{
    if (call->root == MPI_PROC_NULL)
        return;
    inter_enter_remote(s);
    if (call->root == MPI_ROOT) {
        schedule_send(s, call->in, 0);
        return;
    }
    if (s->owner->rank == 0) {
        schedule_recv(s, call->in, call->root);
        schedule_wait(s);
    }
    inter_enter_local(s);
    bcast_tree(s, call->in, 0);
}

static void inter_gather(struct schedule *s, const struct coll_call *call)
{
    inter_enter_remote(s);
    for (int r = 0; call->root == MPI_ROOT && r < s->size; r++)
        schedule_recv(s, block_place_of(&call->places->to, r), r);
    if (call->root >= 0)
        schedule_send(s, call->in, call->root);
}

static void inter_scatter(struct schedule *s, const struct coll_call *call)
{
    inter_enter_remote(s);
    for (int r = 0; call->root == MPI_ROOT && r < s->size; r++)
        schedule_send(s, block_place_of(&call->places->from, r), r);
    if (call->root >= 0)
        schedule_recv(s, call->out, call->root);
}

/* Both groups count upwards, so rounds cannot block each other: the pair of ranks with the smallest sum that
 * is left can always go on. */
static void inter_allgather(struct schedule *s, const struct coll_call *call)
{
    inter_enter_remote(s);
    for (int r = 0; r < s->size; r++) {
        schedule_recv(s, block_place_of(&call->places->to, r), r);
        schedule_send(s, call->in, r);
    }
}

static void inter_alltoall(struct schedule *s, const struct coll_call *call)
{
    inter_enter_remote(s);
    for (int r = 0; r < s->size; r++) {
        schedule_recv(s, block_place_of(&call->places->to, r), r);
        schedule_send(s, block_place_of(&call->places->from, r), r);
    }
}

/* What the local group has together: on its rank 0, in memory of the schedule. */
static struct coll_block inter_combine_local(struct schedule *s, struct coll_block input)
{
    struct coll_block sum = {NULL, 0, input.type};

    inter_enter_local(s);
    if (s->rank == 0)
        sum = schedule_scratch(s, input.count, input.type);
    reduce_tree(s, input, sum, 0);
    schedule_wait(s);
    return sum;
}

static void inter_reduce(struct schedule *s, const struct coll_call *call)
{
    if (call->root >= 0) {
        struct coll_block sum = inter_combine_local(s, call->in);

        inter_enter_remote(s);
        if (s->owner->rank == 0)
            schedule_send(s, sum, call->root);
    } else if (call->root == MPI_ROOT) {
        inter_enter_remote(s);
        schedule_recv(s, call->out, 0);
    }
}

static void inter_allreduce(struct schedule *s, const struct coll_call *call)
{
    struct coll_block sum = inter_combine_local(s, call->in);

    if (s->owner->rank == 0) {
        inter_enter_remote(s);
        schedule_exchange(s, sum, 0, call->out, 0);
        inter_enter_local(s);
    }
    bcast_tree(s, call->out, 0);
}

/* Rank 0 swaps with the other group's, and gives each rank of its own its piece. */
static void inter_swap_and_scatter(struct schedule *s, struct coll_block sum, const struct places *pieces,
                                   struct coll_block piece)
{
    struct coll_block theirs = schedule_scratch(s, sum.count, sum.type);
    struct places parts = block_places_in(pieces, theirs.at);

    inter_enter_remote(s);
    schedule_exchange(s, sum, 0, theirs, 0);
    inter_enter_local(s);
    for (int r = 1; r < s->size; r++)
        schedule_send(s, theirs.count ? block_place_of(&parts, r) : theirs, r);
    if (theirs.count)
        schedule_copy(s, block_place_of(&parts, 0), piece);
}

static void inter_reduce_scatter(struct schedule *s, const struct coll_call *call)
{
    struct coll_block sum = inter_combine_local(s, call->in);

    if (s->owner->rank == 0)
        inter_swap_and_scatter(s, sum, &call->places->from, call->out);
    else
        schedule_recv(s, call->out, 0);
}

void inter_coll(struct schedule *s, const struct coll_call *call, enum algorithm algorithm)
{
    static void (*const build[COLL_COUNT])(struct schedule * s, const struct coll_call *call) = {
        [COLL_BCAST] = inter_bcast,         [COLL_GATHER] = inter_gather,
        [COLL_SCATTER] = inter_scatter,     [COLL_ALLGATHER] = inter_allgather,
        [COLL_ALLTOALL] = inter_alltoall,   [COLL_REDUCE] = inter_reduce,
        [COLL_ALLREDUCE] = inter_allreduce, [COLL_REDUCE_SCATTER] = inter_reduce_scatter,
    };

    (void)algorithm;
    build[call->collective](s, call);
}
