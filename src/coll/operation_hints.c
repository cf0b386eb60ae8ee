#include "coll/operation_hints.h"

#include "coll/sched/exchange.h"
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

const struct hints *operation_hints(struct comm *comm, struct info *info, struct hints *own, int *error)
{
    const struct hints *whole = &comm_whole(comm)->hints;
    uint64_t word[2];

    begin_with(own, whole);
    if (info)
        info_offer(info, own, AT_SET, "the info of a persistent collective");
    if (comm_is_inter(comm))
        return whole;
    word[0] = vote_of(own, comm->rank).party[0].word;
    word[1] = ~word[0];
    *error = exchange_and(comm, word, 2);
    if (*error)
        return NULL;
    if (~(word[0] | word[1]))
        settle(own, whole, ~(word[0] | word[1])); /* bits that are set on some ranks only */
    return !info || is_the_same(own, whole) ? whole : own;
}
