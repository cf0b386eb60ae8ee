#include "coll/dispatch.h"

#include "coll/algo/host_groups.h"
#include "coll/sched/exchange.h"
#include "coll/shm/host_tree_making.h"
#include "coll/shm/shm_coll.h"
#include "hint/hint.h"
#include "hint/vote.h"
#include "hint/warn.h"
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
    if (call->op && hint_value_here(hints, HINT_REPRODUCIBLE_REDUCTIONS))
        return traits; /* of messages among all ranks, whatever host they are on */
    if (host_groups_are_several(comm_whole(comm)))
        traits |= TRAIT_HOSTS | (host_groups_of(comm_whole(comm))->member ? 0 : TRAIT_IN_ORDER);
    else if (host_tree_may(comm_whole(comm), call))
        traits |= TRAIT_TREE;
    return traits;
}

static const struct choice_algorithm *dispatch_choice(struct comm *comm, const struct coll_call *call,
                                                      const struct hints *hints, size_t bytes,
                                                      unsigned shm_traits)
{
    return choice_make(hints, call->list, bytes, choice_place_of(comm_whole(comm), hints),
                       dispatch_traits(comm, call, hints) | shm_traits);
}

/* The algorithm of the call, and its mailboxes: NULL, on all ranks, where it goes by messages. */
static struct mailboxes *dispatch_choose(struct comm *comm, const struct coll_call *call, enum form form,
                                         const struct hints *hints, struct shm_run *run)
{
    struct comm *whole = comm_whole(comm);
    size_t bytes = dispatch_bytes(comm, call);

    run->algorithm = call->list->algorithm;
    if (hints != &whole->hints || !shm_coll_is_chosen(whole, call, bytes)) {
        choice_place_agree(whole, form == FORM_BLOCKING);
        run->algorithm =
            dispatch_choice(comm, call, hints, bytes, shm_coll_traits(whole, call, hints, bytes));
        shm_coll_learn(whole, call->list);
    }
    if (!run->algorithm->plan)
        return NULL;
    run->boxes = shm_coll_open(whole, call, run->algorithm, form, bytes, &run->tag);
    if (!run->boxes)
        run->algorithm = dispatch_choice(comm, call, hints, bytes, 0);
    return run->boxes;
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

/* By messages, or along a tree of mailboxes. */
static int dispatch_schedule(struct comm *comm, const struct coll_call *call, coll_build *build,
                             enum form form, struct request **request)
{
    struct schedule *s;
    int error = schedule_open(comm, form, call->op, &s);

    if (error)
        return error;
    build(s, call);
    dispatch_count(comm, call->list->collective,
                   s->tree && s->tree->size == s->comm->size ? METRIC_COLL_SHARED_MEMORY
                                                             : METRIC_COLL_MESSAGES);
    return schedule_close(s, request);
}

static inline int dispatch_by(struct comm *comm, const struct coll_call *call, enum form form,
                              const struct hints *hints, struct request **request)
{
    coll_build *inter = comm_is_inter(comm) ? call->list->inter : NULL;
    struct shm_run run = {.call = call};

    if ((inter && call->list->collective != COLL_BCAST) || !dispatch_choose(comm, call, form, hints, &run))
        return dispatch_schedule(comm, call, inter ? inter : run.algorithm->build, form, request);
    dispatch_count(comm, call->list->collective,
                   run.algorithm->needs & TRAIT_SINGLE_COPY ? METRIC_COLL_SINGLE_COPY
                                                            : METRIC_COLL_SHARED_MEMORY);
    return shm_coll_do(comm, &run, form, request);
}

/* What the info argument of a persistent collective says of this operation (MPI-5.0 section 7.13). What it does not
 * say is the communicator's, and else the process's.
 *
 * All ranks must take the same algorithm, so they agree on the values in the call, which is nonlocal and collective. A row about which
 * they disagree, or which only some of them give, is the communicator's. So a rank without info need not know what the others give. On one
 * host it says that it is there, in a mailbox line, and does not wait for their votes (shm/shm_coll.h). Elsewhere all ranks exchange
 * messages.
 */

static bool is_the_same(const struct hints *own, const struct hints *whole)
{
    for (int id = hint_agreed_from(own, 0); id < HINT_COUNT; id = hint_agreed_from(own, id + 1))
        if (own->value[id] != hint_value(whole, (enum hint_id)id))
            return false;
    return true;
}

/* The values of the communicator, under those that the info gives. */
static void begin_with(struct hints *own, const struct hints *whole)
{
    hints_init(own, ON_OPERATION);
    own->name = whole->name;
    for (int id = hint_agreed_from(own, 0); id < HINT_COUNT; id = hint_agreed_from(own, id + 1))
        own->value[id] = hint_value(whole, (enum hint_id)id);
    own->value[HINT_RULES] = hint_value(whole, HINT_RULES);
}

/* The bits in which ranks differ are set. */
static void settle(struct hints *own, const struct hints *whole, uint64_t differs)
{
    int shift = 0;

    for (int id = hint_agreed_from(own, 0); id < HINT_COUNT; id = hint_agreed_from(own, id + 1)) {
        if (differs >> shift & ((1 << VOTE_BITS) - 1)) {
            warn_of_key(
                own, hint_table[id].key,
                "info key \"%s\" must be the same on all ranks, and is not; the communicator's value is "
                "taken",
                hint_table[id].key);
            own->value[id] = hint_value(whole, (enum hint_id)id);
        }
        shift += VOTE_BITS;
    }
}

static uint64_t operation_word(const struct hints *own, const struct comm *comm)
{
    return vote_of(own, comm->rank).party[0].word;
}

/* Ranks of several hosts, or without shared memory. */
static int vote_by_messages(struct comm *comm, uint64_t word, uint64_t *differs)
{
    uint64_t both[2] = {word, ~word};
    int error = exchange_and(comm, both, 2);

    *differs = ~(both[0] | both[1]); /* bits that are set on some ranks only */
    return error;
}

/* This rank's word, and that of a rank that gives nothing. */
static int operation_vote(struct comm *comm, uint64_t word, uint64_t usual, uint64_t *differs)
{
    *differs = 0;
    return shm_coll_vote(comm, word == usual ? NULL : &word, usual, differs)
               ? MPI_SUCCESS
               : vote_by_messages(comm, word, differs);
}

/* Whether this rank's values are the communicator's without asking the others. If so it has taken part, else operation_hints does. */
static bool operation_hints_are_usual(struct comm *comm, const struct info *info)
{
    return !info && !comm_is_inter(comm) && shm_coll_vote(comm, NULL, 0, NULL);
}

/* info: NULL, or this rank's. Fills `own`, which the caller releases with hints_fini. Returns the hints of the operation: `own`, or the
 * communicator's if they say the same. NULL: the ranks could not agree; *error says why. */
static const struct hints *operation_hints(struct comm *comm, struct info *info, struct hints *own,
                                           int *error)
{
    const struct hints *whole = &comm_whole(comm)->hints;
    uint64_t usual, differs;

    begin_with(own, whole);
    usual = operation_word(own, comm);
    if (info)
        info_offer(info, own, AT_SET, "the info of a persistent collective");
    if (comm_is_inter(comm))
        return whole;
    *error = operation_vote(comm, operation_word(own, comm), usual, &differs);
    if (*error)
        return NULL;
    if (differs)
        settle(own, whole, differs);
    return !info || is_the_same(own, whole) ? whole : own;
}

/* Apart, since it needs much of the stack. */
__attribute__((noinline, cold)) static int dispatch_with_info(struct comm *comm, const struct coll_call *call,
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
__attribute__((noinline)) static int dispatch_persistent(struct comm *comm, const struct coll_call *call,
                                                         struct info *info, struct request **request)
{
    return operation_hints_are_usual(comm, info)
               ? dispatch_by(comm, call, FORM_PERSISTENT, &comm_whole(comm)->hints, request)
               : dispatch_with_info(comm, call, info, request);
}

int dispatch_call(struct comm *comm, const struct coll_call *call, enum form form, struct info *info,
                  struct request **request)
{
    return form == FORM_PERSISTENT ? dispatch_persistent(comm, call, info, request)
                                   : dispatch_by(comm, call, form, &comm_whole(comm)->hints, request);
}
