#include "coll/dispatch.h"

#include "coll/algo/host_groups.h"
#include "coll/operation_hints.h"
#include "coll/shm/irregular.h"
#include "coll/shm/shm_coll.h"
#include "hint/hint.h"
#include "metric/event.h"
#include "metric/metric.h"

/* Of the largest buffer of a rank, as if all blocks of an allgatherv were as long as the longest; gather: of
 * one block. The same on all ranks: 0 where only some of them know, and SIZE_MAX of an alltoallv. */
static size_t dispatch_bytes(const struct comm *comm, const struct coll_call *call)
{
    size_t longest = call->bytes, bytes;

    if (call->list->collective != COLL_ALLGATHER && call->is_irregular)
        return call->list->collective == COLL_ALLTOALL ? SIZE_MAX : 0;
    if (call->list->collective != COLL_ALLGATHER && call->list->collective != COLL_SCATTER)
        return call->bytes;
    for (int r = 0; call->is_irregular && r < comm->size; r++) {
        bytes = block_bytes(block_place_of(&call->places->to, r));
        longest = bytes > longest ? bytes : longest;
    }
    return __builtin_mul_overflow(longest, (size_t)comm->size, &bytes) ? SIZE_MAX : bytes;
}

/* What the call has besides shared memory. */
static unsigned dispatch_traits(struct comm *comm, const struct coll_call *call, const struct hints *hints)
{
    unsigned traits = (call->is_irregular ? 0 : TRAIT_EQUAL) | (comm->size % 2 ? 0 : TRAIT_EVEN);

    if (!call->places || !call->places->is_in_place)
        traits |= TRAIT_OUT_OF_PLACE;
    if (call->op && call->op->commutative)
        traits |= TRAIT_COMMUTATIVE;
    if (call->in.count >= comm->size)
        traits |= TRAIT_ITEMS;
    if (!(call->op && hint_value_here(hints, HINT_REPRODUCIBLE_REDUCTIONS)) &&
        host_groups_are_several(comm_whole(comm)))
        traits |= TRAIT_HOSTS;
    return traits;
}

/* By messages. */
static int dispatch_schedule(struct comm *comm, const struct coll_call *call, coll_build *build,
                             enum form form, struct request **request)
{
    struct schedule *s;
    int error = schedule_open(comm, form, call->op, &s);

    if (error)
        return error;
    build(s, call);
    return schedule_close(s, request);
}

static const struct choice_algorithm *dispatch_choice(struct comm *comm, const struct coll_call *call,
                                                      const struct hints *hints, size_t bytes,
                                                      unsigned shm_traits)
{
    return choice_make(hints, call->list, bytes, comm_whole(comm)->size,
                       dispatch_traits(comm, call, hints) | shm_traits);
}

/* Whether the call goes through shared memory, and is ready to. Otherwise *build names the steps that it takes. */
static bool dispatch_shm(struct comm *comm, struct coll_call *call, enum form form, const struct hints *hints,
                         coll_build **build)
{
    const struct choice_algorithm *algorithm = call->list->algorithm;
    struct comm *whole = comm_whole(comm);
    size_t bytes = dispatch_bytes(comm, call);

    if (hints != &whole->hints || !shm_coll_is_chosen(whole, call, bytes)) {
        algorithm = dispatch_choice(comm, call, hints, bytes, shm_coll_traits(whole, call, hints, bytes));
        shm_coll_learn(whole, call->list);
    }
    call->is_direct = algorithm->needs & TRAIT_DIRECT;
    *build = algorithm->build;
    if (*build)
        return false;
    if (shm_coll_open(whole, call, form, bytes))
        return true;
    *build = dispatch_choice(comm, call, hints, bytes, 0)->build;
    return false;
}

/* Collectives of the library's own communicators are not the program's. */
__attribute__((noinline)) static void count_watched(struct comm *comm, enum collective collective,
                                                    enum metric way)
{
    if (!object_handle(&comm->object))
        return;
    if (event_is_wanted(EVENT_COLLECTIVE)) {
        event_raise((struct event){.id = EVENT_COLLECTIVE,
                                   .context = comm->context,
                                   .value = {collective, (way - METRIC_COLL_SHARED_MEMORY + 1) % 3}});
        event_deliver();
    }
    if (metric_watches_frequent()) {
        metric_count(way, 1);
        metric_add_shared(&comm->word[METRIC_COMM_COLLECTIVES - METRIC_WORDS], 1);
    }
}

static inline void dispatch_count(struct comm *comm, enum collective collective, enum metric way)
{
    if (event_is_wanted(EVENT_COLLECTIVE) || metric_watches_frequent())
        count_watched(comm, collective, way);
}

static inline int dispatch_by(struct comm *comm, struct coll_call *call, enum form form,
                              const struct hints *hints, struct request **request)
{
    coll_build *inter = comm_is_inter(comm) ? call->list->inter : NULL, *build = NULL;

    if ((inter && call->list->collective != COLL_BCAST) || !dispatch_shm(comm, call, form, hints, &build)) {
        dispatch_count(comm, call->list->collective, METRIC_COLL_MESSAGES);
        return dispatch_schedule(comm, call, inter ? inter : build, form, request);
    }
    dispatch_count(comm, call->list->collective,
                   call->is_direct ? METRIC_COLL_SINGLE_COPY : METRIC_COLL_SHARED_MEMORY);
    if (irregular_is(call))
        irregular_begin(comm, call);
    return shm_coll_do(comm, call, form, request);
}

/* Apart, since it needs much of the stack. */
__attribute__((noinline, cold)) static int dispatch_with_info(struct comm *comm, struct coll_call *call,
                                                              struct info *info, struct request **request)
{
    struct hints own;
    int error = MPI_SUCCESS;
    const struct hints *hints = operation_hints(comm, info, &own, &error);

    if (hints)
        error = dispatch_by(comm, call, FORM_PERSISTENT, hints, request);
    hints_fini(&own);
    return error;
}

/* Apart, so that a blocking call saves no registers for it. */
__attribute__((noinline)) static int dispatch_persistent(struct comm *comm, struct coll_call *call,
                                                         struct info *info, struct request **request)
{
    return operation_hints_are_usual(comm, info)
               ? dispatch_by(comm, call, FORM_PERSISTENT, &comm_whole(comm)->hints, request)
               : dispatch_with_info(comm, call, info, request);
}

int dispatch_call(struct comm *comm, struct coll_call *call, enum form form, struct info *info,
                  struct request **request)
{
    return form == FORM_PERSISTENT ? dispatch_persistent(comm, call, info, request)
                                   : dispatch_by(comm, call, form, &comm_whole(comm)->hints, request);
}
