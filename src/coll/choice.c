#include "coll/choice.h"

#include "boot/boot.h"
#include "coll/algo/host_groups.h"
#include "coll/sched/exchange.h"
#include "hint/coll_rules.h"
#include "hint/vote.h"
#include "p2p/lost.h"

#include <stdint.h>
#include <stdlib.h>

bool choice_synchronizes(enum collective collective)
{
    return collective != COLL_BCAST && collective != COLL_REDUCE && collective != COLL_GATHER &&
           collective != COLL_SCATTER && collective != COLL_SCAN;
}

/* The algorithm that the collective's row names, NULL for auto. */
static const struct choice_algorithm *choice_forced(const struct hints *h, const struct choice_list *list)
{
    int64_t number = hint_value_here(h, (enum hint_id)(HINT_BARRIER + (int)list->collective));

    return number ? &list->algorithm[number - 1] : NULL;
}

static bool choice_rule_fits(const struct choice_list *list, const struct choice_rule *r, size_t bytes,
                             int ranks, unsigned traits)
{
    return bytes >= r->from_bytes && bytes <= r->to_bytes && ranks >= r->from_ranks && ranks <= r->to_ranks &&
           (list->algorithm[r->algorithm].needs & ~traits) == 0;
}

/* Whether a rule of a file speaks of such calls. */
static bool choice_is_about(const struct rule *r, const struct choice_list *list, struct choice_place place)
{
    return r->collective == (int)list->collective && place.ranks >= r->from_ranks &&
           place.ranks <= r->to_ranks && place.hosts >= r->from_hosts && place.hosts <= r->to_hosts;
}

/* The algorithm of the file's first rule that fits; NULL: there is none. */
static const struct choice_algorithm *choice_of_file(const struct choice_list *list, size_t bytes,
                                                     struct choice_place place, unsigned traits)
{
    for (int i = 0; place.rules && i < place.rules->count; i++) {
        const struct rule *r = &place.rules->rule[i];

        if (choice_is_about(r, list, place) && bytes >= r->from_bytes && bytes <= r->to_bytes &&
            (list->algorithm[r->algorithm].needs & ~traits) == 0)
            return &list->algorithm[r->algorithm];
    }
    return NULL;
}

/* A row that names an algorithm of messages, even an impossible one, rules out shared memory. */
const struct choice_algorithm *choice_make(const struct hints *h, const struct choice_list *list,
                                           size_t bytes, struct choice_place place, unsigned traits)
{
    const struct choice_algorithm *forced = choice_forced(h, list), *given;
    const struct choice_rule *r = list->rule;

    if (forced && (forced->needs & ~traits) == 0)
        return forced;
    if (forced)
        traits &= ~TRAIT_SHM;
    given = choice_of_file(list, bytes, place, traits);
    if (given)
        return given;
    while (!choice_rule_fits(list, r, bytes, place.ranks, traits))
        r++;
    return &list->algorithm[r->algorithm];
}

/* The rules that are looked through from some number of bytes on. */
struct choice_stretch {
    size_t from, end; /* end: the next rule before the one that fits begins there */
    bool is_found;    /* the one that fits */
};

/* Takes another rule that speaks of the calls, in their order. */
static void choice_look(struct choice_stretch *s, bool is_mailbox, size_t from_bytes, size_t to_bytes)
{
    if (from_bytes > s->from) {
        s->end = from_bytes < s->end ? from_bytes : s->end;
    } else if (to_bytes >= s->from) {
        s->is_found = true;
        if (!is_mailbox)
            s->end = s->from;
        else if (to_bytes < s->end)
            s->end = to_bytes + 1;
    }
}

/* Where the stretch from `from` on ends in which mailboxes are chosen; `from`: they are not chosen there. A file's rule counts even if
 * its algorithm needs more than `traits`, since a call may have that. */
static size_t choice_stretch_end(const struct choice_list *list, struct choice_place place, size_t from,
                                 unsigned traits)
{
    struct choice_stretch s = {from, SIZE_MAX, false};

    for (int i = 0; place.rules && i < place.rules->count && !s.is_found; i++) {
        const struct rule *r = &place.rules->rule[i];

        if (choice_is_about(r, list, place))
            choice_look(&s, r->algorithm == 0, r->from_bytes, r->to_bytes);
    }
    for (int i = 0; i < list->rules && !s.is_found; i++) {
        const struct choice_rule *r = &list->rule[i];

        if (choice_rule_fits(list, r, r->from_bytes, place.ranks, traits))
            choice_look(&s, r->algorithm == 0, r->from_bytes, r->to_bytes);
    }
    return s.is_found ? s.end : from;
}

size_t choice_mailbox_below(const struct hints *h, const struct choice_list *list, struct choice_place place,
                            unsigned traits)
{
    size_t below = 0, end;

    if (choice_forced(h, list))
        return choice_make(h, list, 0, place, traits) == list->algorithm ? SIZE_MAX : 0;
    while (below < SIZE_MAX && (end = choice_stretch_end(list, place, below, traits)) > below)
        below = end;
    return below;
}

/* Whether the world's ranks have agreed on their rules; written by the collective calls on it, which are one after the other. */
static bool world_agrees;

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* 0: unknown, since there is no memory to count. */
static int count_hosts(const struct comm *comm)
{
    uint64_t *key = malloc((size_t)comm->size * sizeof *key);
    int hosts = 0;

    for (int r = 0; key && r < comm->size; r++)
        key[r] = host_groups_key(comm->process[r]);
    if (key)
        qsort(key, (size_t)comm->size, sizeof *key, compare_keys);
    for (int r = 0; key && r < comm->size; r++)
        hosts += r == 0 || key[r] != key[r - 1];
    free(key);
    return hosts;
}

static int hosts_of(struct comm *comm)
{
    if (boot.all_local && !hint_process.value[HINT_HOST_RANKS])
        return 1;
    if (comm->group->has_guests)
        return 0;
    if (!comm->host_count)
        comm->host_count = count_hosts(comm);
    return comm->host_count;
}

static bool must_agree(const struct comm *comm)
{
    return comm == &comm_world && !world_agrees && !boot.all_local;
}

void choice_place_agree(struct comm *comm, bool may_wait)
{
    struct vote vote = {.rules_differ = 1};
    uint64_t both[2];
    int error;

    if (!may_wait || !must_agree(comm))
        return;
    world_agrees = true;
    both[0] = coll_rules_digest(&comm->hints);
    both[1] = ~both[0];
    error = exchange_and(comm, both, 2);
    /* Where one is lost no collective of comm has a result any more, and nothing is known to differ. */
    if (lost_is_cause(error))
        return;
    if (error || both[0] != ~both[1])
        vote_settle(&vote, &comm->hints, comm->rank);
}

struct choice_place choice_place_of(struct comm *comm, const struct hints *h)
{
    struct choice_place place = {.ranks = comm->size};

    if (comm_is_inter(comm) || must_agree(comm))
        return place;
    place.rules = coll_rules_of(h);
    if (place.rules)
        place.hosts = hosts_of(comm);
    return place;
}
