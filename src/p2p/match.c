#include "p2p/match.h"

#include "base/fail.h"
#include "p2p/announce.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BUCKETS = 16,
    MOST_KEYS = 3 /* of an unexpected message */
};

static inline uint32_t hash_key(int32_t source, int32_t tag)
{
    uint64_t key = (uint64_t)(uint32_t)source << 32 | (uint32_t)tag;

    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32);
}

static struct link *bucket_of(const struct key_table *t, int32_t source, int32_t tag)
{
    return &t->bucket[hash_key(source, tag) & t->mask];
}

static struct key_link *key_at(struct link *l)
{
    return LIST_ENTRY(l, struct key_link, link);
}

/* Doubles the buckets. Walking each old chain in order keeps equal keys in order. Out of line: it is rare. */
__attribute__((noinline)) static bool table_grow(struct key_table *t)
{
    uint32_t old_buckets = t->bucket ? t->mask + 1 : 0;
    uint32_t buckets = old_buckets ? old_buckets * 2 : FIRST_BUCKETS;
    struct key_table bigger = {
        .bucket = malloc(buckets * sizeof *t->bucket), .mask = buckets - 1, .count = t->count};

    if (!bigger.bucket)
        return t->bucket != NULL; /* slower, not wrong */
    for (uint32_t i = 0; i < buckets; i++)
        list_init(&bigger.bucket[i]);
    for (uint32_t i = 0; i < old_buckets; i++)
        while (!list_is_empty(&t->bucket[i])) {
            struct key_link *k = key_at(t->bucket[i].next);

            list_remove(&k->link);
            list_add(bucket_of(&bigger, k->source, k->tag), &k->link);
        }
    free(t->bucket);
    *t = bigger;
    return true;
}

static bool table_add(struct key_table *t, struct key_link *k, int32_t source, int32_t tag)
{
    if ((!t->bucket || t->count > t->mask) && !table_grow(t))
        return false;
    k->source = source;
    k->tag = tag;
    list_add(bucket_of(t, source, tag), &k->link);
    t->count++;
    return true;
}

static void table_remove(struct key_table *t, struct key_link *k)
{
    list_remove(&k->link);
    t->count--;
}

static struct key_link *table_first(const struct key_table *t, int32_t source, int32_t tag)
{
    struct link *head;

    if (t->count == 0)
        return NULL;
    head = bucket_of(t, source, tag);
    for (struct link *l = head->next; l != head; l = l->next)
        if (key_at(l)->source == source && key_at(l)->tag == tag)
            return key_at(l);
    return NULL;
}

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

bool match_post(struct match_space *space, struct posted *p, int source, int tag)
{
    if (!table_add(&space->posted, &p->key, source, tag))
        return false;
    p->stamp = space->stamps++;
    count_wildcards(space, source, tag, 1);
    return true;
}

const struct posted *match_posted_before(const struct match_space *space, const struct posted *p)
{
    const struct link *head = bucket_of(&space->posted, p->key.source, p->key.tag);

    for (struct link *l = p->key.link.prev; l != head; l = l->prev)
        if (key_at(l)->source == p->key.source && key_at(l)->tag == p->key.tag)
            return LIST_ENTRY(key_at(l), const struct posted, key);
    return NULL;
}

void match_unpost(struct match_space *space, struct posted *p)
{
    table_remove(&space->posted, &p->key);
    count_wildcards(space, p->key.source, p->key.tag, (uint32_t)-1);
}

void match_list_posted(const struct match_space *space, struct posted **list)
{
    const struct key_table *t = &space->posted;

    for (uint32_t i = 0; t->count && i <= t->mask; i++)
        for (struct link *l = t->bucket[i].next; l != &t->bucket[i]; l = l->next)
            *list++ = LIST_ENTRY(key_at(l), struct posted, key);
}

/* The earlier of best and the first receive posted under this key. */
static struct posted *earlier(struct posted *best, const struct match_space *space, int source, int tag)
{
    struct key_link *k = table_first(&space->posted, source, tag);
    struct posted *p = k ? LIST_ENTRY(k, struct posted, key) : NULL;

    if (!p)
        return best;
    return !best || p->stamp < best->stamp ? p : best;
}

static struct posted *earliest_wildcard(struct posted *best, const struct match_space *space, int source,
                                        int tag)
{
    if (space->any_source)
        best = earlier(best, space, MPI_ANY_SOURCE, tag);
    if (space->any_tag)
        best = earlier(best, space, source, MPI_ANY_TAG);
    if (space->any_both)
        best = earlier(best, space, MPI_ANY_SOURCE, MPI_ANY_TAG);
    return best;
}

struct posted *match_arrival(struct match_space *space, int source, int tag)
{
    struct posted *best = earlier(NULL, space, source, tag);

    if (space->wildcards)
        best = earliest_wildcard(best, space, source, tag);
    if (best)
        match_unpost(space, best);
    return best;
}

/* The keys besides (source, tag) that the space has. */
static uint32_t keys_of(const struct match_space *space)
{
    return 1u + space->by_source + space->by_tag;
}

static void take_keys(struct match_space *space, struct unexpected *u, uint32_t keys)
{
    for (uint32_t i = 0; i < keys; i++)
        table_remove(&space->unexpected, &u->key[i]);
}

static bool add_keys(struct match_space *space, struct unexpected *u)
{
    const struct message *m = &u->message;
    uint32_t added = 0;

    if (table_add(&space->unexpected, &u->key[0], m->source, m->tag))
        added++;
    if (added == 1 && space->by_source &&
        table_add(&space->unexpected, &u->key[added], m->source, MPI_ANY_TAG))
        added++;
    if (added == 1u + space->by_source && space->by_tag &&
        table_add(&space->unexpected, &u->key[added], MPI_ANY_SOURCE, m->tag))
        added++;
    if (added == keys_of(space))
        return true;
    take_keys(space, u, added);
    return false;
}

static struct unexpected *unexpected_new(const struct message *message, const void *payload,
                                         struct peer *from, uint32_t keys)
{
    struct unexpected *u = malloc(sizeof *u + keys * sizeof *u->key + message->length);

    if (!u)
        return NULL;
    u->message = *message;
    u->from = from;
    u->keys = keys;
    if (message->length)
        memcpy(unexpected_payload(u), payload, message->length);
    return u;
}

bool match_keep(struct match_space *space, const struct arrival *arrival)
{
    struct unexpected *u = unexpected_new(arrival->message, arrival->payload, arrival->from, keys_of(space));

    if (u && !add_keys(space, u)) {
        free(u);
        u = NULL;
    }
    if (u)
        list_add(&space->kept, &u->kept);
    return u != NULL;
}

bool match_keep_orphan(struct lane *lane, const struct arrival *arrival)
{
    struct unexpected *u = unexpected_new(arrival->message, arrival->payload, arrival->from, MOST_KEYS);

    if (u)
        list_add(&lane->orphans, &u->kept);
    return u != NULL;
}

static bool accepts(int source, int tag, const struct message *m)
{
    return (source == MPI_ANY_SOURCE || source == m->source) && (tag == MPI_ANY_TAG || tag == m->tag);
}

/* For a key that the messages do not lie under. */
static struct unexpected *search_kept(struct match_space *space, int source, int tag)
{
    for (struct link *l = space->kept.next; l != &space->kept; l = l->next)
        if (accepts(source, tag, &LIST_ENTRY(l, struct unexpected, kept)->message))
            return LIST_ENTRY(l, struct unexpected, kept);
    return NULL;
}

struct unexpected *match_look(struct match_space *space, int source, int tag)
{
    bool any_source = source == MPI_ANY_SOURCE, any_tag = tag == MPI_ANY_TAG;
    struct key_link *k;

    if ((any_source && (any_tag || !space->by_tag)) || (any_tag && !space->by_source))
        return search_kept(space, source, tag);
    k = table_first(&space->unexpected, source, tag);
    if (!k)
        return NULL;
    if (any_tag)
        k -= 1;
    else if (any_source)
        k -= 1 + space->by_source;
    return LIST_ENTRY(k, struct unexpected, key);
}

void match_take(struct match_space *space, struct unexpected *u)
{
    take_keys(space, u, keys_of(space));
    list_remove(&u->kept);
}

void match_space_init(struct match_space *space, bool any_source, bool any_tag)
{
    *space = (struct match_space){.by_source = any_tag, .by_tag = any_source};
    list_init(&space->kept);
}

static void free_kept(struct link *kept)
{
    while (!list_is_empty(kept)) {
        struct unexpected *u = LIST_ENTRY(kept->next, struct unexpected, kept);

        list_remove(&u->kept);
        free(u);
    }
}

void match_space_fini(struct match_space *space)
{
    free_kept(&space->kept);
    free(space->posted.bucket);
    free(space->unexpected.bucket);
}

/* Copies the messages of one space, in their order, into another. */
static bool copy_kept(struct match_space *to, const struct match_space *from)
{
    for (struct link *l = from->kept.next; l != &from->kept; l = l->next) {
        struct unexpected *old = LIST_ENTRY(l, struct unexpected, kept);
        struct arrival a = {&old->message, unexpected_payload(old), old->from};

        if (!match_keep(to, &a))
            return false;
    }
    return true;
}

/* Files the unexpected messages anew. Without memory they stay as they are: slower to find, not wrong. */
void match_space_adapt(struct match_space *space, bool any_source, bool any_tag)
{
    struct match_space next;

    if (space->by_tag == any_source && space->by_source == any_tag)
        return;
    match_space_init(&next, any_source, any_tag);
    if (!copy_kept(&next, space)) {
        match_space_fini(&next);
        return;
    }
    free_kept(&space->kept);
    free(space->unexpected.bucket);
    space->unexpected = next.unexpected;
    space->by_source = next.by_source;
    space->by_tag = next.by_tag;
    list_move(&space->kept, &next.kept);
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
    announce_forget(comm, lane);
    match = comm->match[lane_number(lane)];
    if (match)
        match_space_adapt(&match->space[PLANE_P2P], may_any_source(comm), may_any_tag(comm));
    lane_release(lane);
}

void match_adapt(struct comm *comm)
{
    struct hold all = {lanes, lanes + comm->spread};

    if (!lane_is_spread(comm, PLANE_P2P))
        all = (struct hold){&lanes[comm->lane], &lanes[comm->lane] + 1};
    for (struct lane *lane = all.first; lane < all.end; lane++)
        adapt(comm, lane);
}

static void free_match(struct match *match)
{
    if (match->lane->last_found == match)
        match->lane->last_found = NULL;
    for (int plane = 0; plane < PLANE_COUNT; plane++)
        match_space_fini(&match->space[plane]);
    free(match);
}

/* Called by comm when the last reference to the communicator goes: nothing is posted any more. That may be in
 * any thread, with the lane's lock or without, so freeing waits for the lane's next poll. */
static void match_bury(struct match *match)
{
    _Atomic(struct match *) *buried = &match->lane->buried;

    match->next_buried = atomic_load_explicit(buried, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(buried, &match->next_buried, match, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

void match_free_buried(struct lane *lane)
{
    struct match *match = atomic_exchange_explicit(&lane->buried, NULL, memory_order_acquire), *next;

    for (; match; match = next) {
        next = match->next_buried;
        free_match(match);
    }
}

static bool adopt_orphans(struct match *match)
{
    struct link *next;

    for (struct link *l = match->lane->orphans.next; l != &match->lane->orphans; l = next) {
        struct unexpected *u = LIST_ENTRY(l, struct unexpected, kept);

        next = l->next;
        if (u->message.context != match->context)
            continue;
        if (!add_keys(&match->space[u->message.plane], u))
            return false;
        list_remove(l);
        list_add(&match->space[u->message.plane].kept, l);
    }
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
    for (int plane = 0; plane < PLANE_COUNT; plane++)
        match_space_init(&match->space[plane], plane == PLANE_P2P && may_any_source(comm),
                         plane == PLANE_P2P && may_any_tag(comm));
    if (!adopt_orphans(match)) {
        free_match(match);
        return NULL;
    }
    comm->match_free = match_bury;
    return comm->match[lane_number(lane)] = match;
}

struct match *match_find(struct lane *lane, uint64_t context)
{
    struct comm *comm;

    if (lane->last_found && lane->last_found->context == context)
        return lane->last_found;
    comm = comm_find(context);
    if (!comm)
        return NULL;
    return lane->last_found = match_of(comm, lane);
}
