#include "coll/dispatch.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"
#include "coll/algo/inter_coll.h"
#include "coll/shm/shm_coll.h"
#include "hint/hint.h"

static algo_build *const builders[COLL_COUNT] = {
    [COLL_BARRIER] = algo_barrier,     [COLL_BCAST] = algo_bcast,
    [COLL_REDUCE] = algo_reduce,       [COLL_ALLREDUCE] = algo_allreduce,
    [COLL_ALLGATHER] = algo_allgather, [COLL_ALLTOALL] = algo_alltoall,
    [COLL_GATHER] = algo_gather,       [COLL_REDUCE_SCATTER] = algo_reduce_scatter,
    [COLL_SCATTER] = algo_scatter,     [COLL_SCAN] = algo_scan,
};

/* Of the largest buffer of a rank; gather: of one block. The same on all ranks. */
static size_t dispatch_bytes(const struct comm *comm, const struct coll_call *call)
{
    size_t bytes = 0;

    if (call->collective != COLL_ALLGATHER)
        return call->is_irregular ? SIZE_MAX : call->bytes;
    for (int r = 0; call->is_irregular && r < comm->size; r++)
        bytes += block_bytes(block_place_of(&call->places->to, r));
    return call->is_irregular ? bytes : call->bytes * (size_t)comm->size;
}

/* What the call has besides shared memory. */
static unsigned dispatch_traits(struct comm *comm, const struct coll_call *call)
{
    unsigned traits = (call->is_irregular ? 0 : TRAIT_EQUAL) | (comm->size % 2 ? 0 : TRAIT_EVEN);

    if (!call->places || !call->places->is_in_place)
        traits |= TRAIT_OUT_OF_PLACE;
    if (call->op && call->op->commutative)
        traits |= TRAIT_COMMUTATIVE;
    if (call->in.count >= comm->size)
        traits |= TRAIT_ITEMS;
    if (!(call->op && hint_process.value[HINT_REPRODUCIBLE_REDUCTIONS]) &&
        host_groups_are_several(comm_whole(comm)))
        traits |= TRAIT_HOSTS;
    return traits;
}

/* By messages. */
static int dispatch_schedule(struct comm *comm, const struct coll_call *call, enum algorithm algorithm,
                             algo_build *build, enum form form, struct request **request)
{
    struct schedule *s;
    int error = schedule_open(comm, form, call->op, &s);

    if (error)
        return error;
    build(s, call, algorithm);
    return schedule_close(s, request);
}

static bool is_shared_memory(enum algorithm algorithm)
{
    return algorithm == ALGORITHM_SHM || algorithm == ALGORITHM_SINGLE_COPY;
}

static enum algorithm dispatch_choice(struct comm *comm, const struct coll_call *call, size_t bytes,
                                      unsigned shm_traits)
{
    return choice_make(call->collective, bytes, comm_whole(comm)->size,
                       dispatch_traits(comm, call) | shm_traits);
}

int dispatch_call(struct comm *comm, struct coll_call *call, enum form form, struct request **request)
{
    enum algorithm algorithm = ALGORITHM_SHM;
    size_t bytes;

    if (comm_is_inter(comm) && call->collective != COLL_BARRIER)
        return dispatch_schedule(comm, call, ALGORITHM_COUNT, inter_coll, form, request);
    bytes = dispatch_bytes(comm, call);
    if (!shm_coll_is_chosen(comm, call, bytes))
        algorithm = dispatch_choice(comm, call, bytes, shm_coll_traits(comm, call, bytes));
    if (is_shared_memory(algorithm)) {
        call->is_direct = algorithm == ALGORITHM_SINGLE_COPY;
        if (shm_coll_open(comm, call, form, bytes))
            return shm_coll_do(comm, call, form, request);
        algorithm = dispatch_choice(comm, call, bytes, 0);
    }
    return dispatch_schedule(comm, call, algorithm, builders[call->collective], form, request);
}
