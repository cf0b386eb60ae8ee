#include "coll/operation_hints.h"

#include "coll/sched/exchange.h"
#include "coll/shm/shm_coll.h"
#include "hint/vote.h"
#include "hint/warn.h"

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

bool operation_hints_are_usual(struct comm *comm, const struct info *info)
{
    return !info && !comm_is_inter(comm) && shm_coll_vote(comm, NULL, 0, NULL);
}

const struct hints *operation_hints(struct comm *comm, struct info *info, struct hints *own, int *error)
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
