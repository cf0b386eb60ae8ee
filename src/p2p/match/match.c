#include "p2p/match/match.h"

#include "base/live.h"
#include "p2p/failure.h"
#include "p2p/rndv/recv_advert.h"
#include "plain/fail.h"
#include "plain/log.h"

#include <stdlib.h>
#include <string.h>

/* A message of a context that this process does not have, or not yet. */
struct orphan {
    struct link link;
    struct message message;
    struct peer *from;
    unsigned char payload[];
};

static inline void count_wildcards(struct match_space *space, int source, int tag, uint32_t change)
{
    if (source != MPI_ANY_SOURCE && tag != MPI_ANY_TAG)
        return;
    space->wildcards += change;
    if (source != MPI_ANY_SOURCE)
        space->any_tag += change;
    else if (tag != MPI_ANY_TAG)
        space->any_source += change;
    else
        space->any_both += change;
}

/* Adds a receive to those of its key. False: no memory. Out of line: it is rare. */
__attribute__((noinline)) static bool add_to_key(struct match_space *space, struct posted *p)
{
    struct match_hash_slot *slot;

    if (!match_hash_reserve(&space->posted, 1))
        return false;
    slot = match_hash_add(&space->posted, p->source, p->tag);
    if (slot->posted)
        list_add(&slot->posted->same, &p->same);
    else
        slot->posted = p;
    return true;
}

/* The caller holds the lane. */
static inline void count_posted(struct match_space *space, int change)
{
    uint32_t count = atomic_load_explicit(&space->posted_count, memory_order_relaxed);

    atomic_store_explicit(&space->posted_count, count + (uint32_t)change, memory_order_relaxed);
    metric_add(&space->unexpected.words->at[METRIC_POSTED], (uint64_t)change);
    metric_tell_queue();
}

bool match_post(struct match_space *space, struct posted *p, int source, int tag)
{
    list_init(&p->same);
    p->source = source;
    p->tag = tag;
    p->stamp = space->stamps += 2;
    if (space->posted.count == 0)
        match_hash_add(&space->posted, source, tag)->posted = p;
    else if (!add_to_key(space, p))
        return false;
    count_wildcards(space, source, tag, 1);
    count_posted(space, 1);
    return true;
}

const struct posted *match_posted_before(struct match_space *space, const struct posted *p)
{
    if (match_hash_find(&space->posted, p->source, p->tag)->posted == p)
        return NULL;
    return LIST_ENTRY(p->same.prev, const struct posted, same);
}

/* Takes a receive out of those of its key. */
static inline void remove_from_key(struct match_space *space, struct posted *p, struct match_hash_slot *slot)
{
    if (list_is_empty(&p->same)) {
        match_hash_remove(&space->posted, slot);
        return;
    }
    if (slot->posted == p)
        slot->posted = LIST_ENTRY(p->same.next, struct posted, same);
    list_remove(&p->same);
}

static inline void unpost_from_slot(struct match_space *space, struct posted *p, struct match_hash_slot *slot)
{
    remove_from_key(space, p, slot);
    count_wildcards(space, p->source, p->tag, (uint32_t)-1);
    count_posted(space, -1);
}

void match_unpost(struct match_space *space, struct posted *p)
{
    unpost_from_slot(space, p, match_hash_find(&space->posted, p->source, p->tag));
}

/* That behind p, or the first where p is NULL; NULL: there is none. */
static struct posted *next_posted(struct match_space *space, const struct posted *p)
{
    struct match_hash_slot *slot = p ? match_hash_find(&space->posted, p->source, p->tag) : NULL;

    if (slot && p->same.next != &slot->posted->same)
        return LIST_ENTRY(p->same.next, struct posted, same);
    slot = match_hash_next(&space->posted, slot);
    return slot ? slot->posted : NULL;
}

struct posted **match_list_posted(struct match_space *space, uint32_t *count)
{
    struct posted **list, *p;

    *count = 0;
    for (p = next_posted(space, NULL); p; p = next_posted(space, p))
        ++*count;
    list = malloc(*count * sizeof(struct posted *));
    if (*count && !list)
        log_die("no memory for a list of %u receives", *count);
    *count = 0;
    for (p = next_posted(space, NULL); p; p = next_posted(space, p))
        list[(*count)++] = p;
    return list;
}

/* The key whose first receive was posted earlier: best's, or this one's. */
static struct match_hash_slot *earlier(struct match_hash_slot *best, struct match_space *space, int source,
                                       int tag)
{
    struct match_hash_slot *slot = match_hash_find(&space->posted, source, tag);

    if (!slot)
        return best;
    return !best || slot->posted->stamp < best->posted->stamp ? slot : best;
}

static struct match_hash_slot *earliest_wildcard(struct match_hash_slot *best, struct match_space *space,
                                                 int source, int tag)
{
    if (space->any_source)
        best = earlier(best, space, MPI_ANY_SOURCE, tag);
    if (space->any_tag)
        best = earlier(best, space, source, MPI_ANY_TAG);
    if (space->any_both)
        best = earlier(best, space, MPI_ANY_SOURCE, MPI_ANY_TAG);
    return best;
}

/* match_arrival for several keys. */
__attribute__((noinline)) static struct posted *take_earliest(struct match_space *space, int source, int tag)
{
    struct match_hash_slot *best = match_hash_find(&space->posted, source, tag);
    struct posted *p;

    if (space->wildcards)
        best = earliest_wildcard(best, space, source, tag);
    if (!best)
        return NULL;
    p = best->posted;
    unpost_from_slot(space, p, best);
    return p;
}

struct posted *match_arrival(struct match_space *space, int source, int tag)
{
    struct match_hash_slot *only = &space->posted.single;
    struct posted *p;

    if (only->key != match_hash_key(source, tag) || space->wildcards)
        return take_earliest(space, source, tag);
    p = only->posted;
    remove_from_key(space, p, only);
    count_posted(space, -1);
    return p;
}

bool match_expects(struct match_space *space, int source, int tag)
{
    struct match_hash_slot *exact = match_hash_find(&space->posted, source, tag);

    return exact || (space->wildcards && earliest_wildcard(NULL, space, source, tag));
}

static size_t orphan_size(const struct message *m)
{
    return sizeof(struct orphan) + m->length;
}

bool match_keep_orphan(struct lane *lane, const struct arrival *arrival)
{
    uint32_t length = arrival->message->length;
    bool is_dropped = net_survives() && failure_is_revoked_context(arrival->message->context);
    size_t bytes = orphan_size(arrival->message);
    struct orphan *o = is_dropped || lane->orphan_bytes + bytes > LANE_ORPHAN_BYTES ? NULL : malloc(bytes);

    if (is_dropped)
        return true;
    if (!o)
        return false;
    lane->orphan_bytes += bytes;
    o->message = *arrival->message;
    o->from = arrival->from;
    if (length)
        memcpy(o->payload, arrival->payload, length);
    list_add(&lane->orphans, &o->link);
    return true;
}

static const struct match_space *program_space(const struct comm *comm, int lane)
{
    struct match *const *at = &comm->match[lane];
    const struct match *match = __atomic_load_n(at, __ATOMIC_ACQUIRE);

    return match ? &match->space[PLANE_P2P] : NULL;
}

uint64_t match_count_posted(const struct comm *comm)
{
    uint64_t count = 0;

    for (int i = 0; i < NET_LANES; i++)
        if (program_space(comm, i))
            count += atomic_load_explicit(&program_space(comm, i)->posted_count, memory_order_relaxed);
    return count;
}

uint64_t match_count_unexpected(const struct comm *comm)
{
    uint64_t count = 0;

    for (int i = 0; i < NET_LANES; i++)
        if (program_space(comm, i))
            count += atomic_load_explicit(&program_space(comm, i)->unexpected.live, memory_order_relaxed);
    return count;
}

uint64_t match_count_filed(const struct comm *comm)
{
    uint64_t count = 0;

    for (int i = 0; i < NET_LANES; i++) {
        const struct match_space *space = program_space(comm, i);

        if (!space)
            continue;
        lane_take(&lanes[i]);
        count += space->unexpected.stamps;
        lane_release(&lanes[i]);
    }
    return count;
}

void match_space_init(struct match_space *space, bool any_source, bool any_tag)
{
    *space = (struct match_space){.stamps = 0};
    unexpected_init(&space->unexpected, any_source, any_tag);
}

void match_space_fini(struct match_space *space)
{
    unexpected_fini(&space->unexpected);
    match_hash_free(&space->posted);
}

static bool may_any_source(const struct comm *comm)
{
    return !hint_value(&comm->hints, HINT_NO_ANY_SOURCE);
}

static bool may_any_tag(const struct comm *comm)
{
    return !hint_value(&comm->hints, HINT_NO_ANY_TAG);
}

static void adapt(struct comm *comm, struct lane *lane)
{
    struct match *match;

    lane_take(lane);
    recv_advert_forget(comm, lane);
    match = comm->match[lane_number(lane)];
    if (match)
        unexpected_adapt(&match->space[PLANE_P2P].unexpected, may_any_source(comm), may_any_tag(comm));
    lane_release(lane);
}

void match_adapt(struct comm *comm)
{
    struct lane_set all = {lanes, lanes + comm->spread};

    if (!lane_is_spread(comm, PLANE_P2P))
        all = lane_set_of(&lanes[comm->lane]);
    for (struct lane *lane = all.first; lane < all.end; lane++)
        adapt(comm, lane);
}

static void free_match(struct match *match)
{
    if (match->lane->last_found == match)
        match->lane->last_found = NULL;
    list_remove(&match->link);
    for (int plane = 0; plane < PLANE_COUNT; plane++)
        match_space_fini(&match->space[plane]);
    free(match);
}

/* Called by comm when the last reference to the communicator goes: nothing is posted any more. That may be in
 * any thread, with the lane's lock or without, so freeing waits for the lane's next poll. */
static void match_retire(struct match *match)
{
    _Atomic(struct match *) *retired = &match->lane->retired;

    live_add(LIVE_MATCH, -1);
    match->next_retired = atomic_load_explicit(retired, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(retired, &match->next_retired, match, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

void match_free_retired(struct lane *lane)
{
    struct match *match = atomic_exchange_explicit(&lane->retired, NULL, memory_order_acquire), *next;

    for (; match; match = next) {
        next = match->next_retired;
        free_match(match);
    }
}

void match_free_all_retired(void)
{
    for (struct lane *lane = lanes; lane < lanes + NET_LANES; lane++) {
        if (!atomic_load_explicit(&lane->retired, memory_order_relaxed))
            continue;
        lane_take(lane);
        match_free_retired(lane);
        lane_release(lane);
    }
}

void match_forget(struct match *match)
{
    if (match->lane->last_found == match)
        match->lane->last_found = NULL;
    match->context = 0;
}

/* The first orphan of the match's context from l on; NULL: none. */
static struct orphan *orphan_find(const struct match *match, struct link *l)
{
    for (; l != &match->lane->orphans; l = l->next)
        if (LIST_ENTRY(l, struct orphan, link)->message.context == match->context)
            return LIST_ENTRY(l, struct orphan, link);
    return NULL;
}

static void forget_orphans(struct match *match)
{
    struct orphan *o, *next;

    for (o = orphan_find(match, match->lane->orphans.next); o; o = next) {
        next = orphan_find(match, o->link.next);
        match->lane->orphan_bytes -= orphan_size(&o->message);
        list_remove(&o->link);
        free(o);
    }
}

/* False, and nothing is lost: no memory. */
static bool adopt_orphans(struct match *match)
{
    struct orphan *o = orphan_find(match, match->lane->orphans.next);

    for (; o; o = orphan_find(match, o->link.next)) {
        struct arrival a = {&o->message, o->payload, o->from};

        if (!unexpected_keep(&match->space[o->message.plane].unexpected, &a))
            return false;
    }
    forget_orphans(match);
    return true;
}

struct match *match_new(struct comm *comm, struct lane *lane)
{
    struct match *match = aligned_alloc(_Alignof(struct match), sizeof *match);

    if (!match)
        return NULL;
    memset(match, 0, sizeof *match);
    match->context = comm->context;
    match->lane = lane;
    list_add(&lane->matches, &match->link);
    for (int plane = 0; plane < PLANE_COUNT; plane++)
        match_space_init(&match->space[plane], plane == PLANE_P2P && may_any_source(comm),
                         plane == PLANE_P2P && may_any_tag(comm));
    if (object_handle(&comm->object))
        match->space[PLANE_P2P].unexpected.words = &metric_lane[lane_number(lane)];
    if (!adopt_orphans(match)) {
        free_match(match);
        return NULL;
    }
    atomic_store_explicit(&comm->match_free, match_retire,
                          memory_order_relaxed); /* before the count of references goes down */
    live_add(LIVE_MATCH, 1);
    /* release: pairs with the acquire of who counts what waits */
    __atomic_store_n(&comm->match[lane_number(lane)], match, __ATOMIC_RELEASE);
    return match;
}

struct match *match_find(struct lane *lane, uint64_t context)
{
    struct comm *comm;

    if (lane->last_found && lane->last_found->context == context)
        return lane->last_found;
    comm = comm_find_context(context);
    if (!comm)
        return NULL;
    return lane->last_found = match_of(comm, lane);
}
