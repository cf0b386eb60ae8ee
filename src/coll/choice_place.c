#include "coll/choice_place.h"

#include "boot/boot.h"
#include "coll/algo/host_groups.h"
#include "coll/sched/exchange.h"
#include "hint/coll_rules.h"
#include "hint/vote.h"
#include "p2p/lost.h"

#include <stdlib.h>

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
