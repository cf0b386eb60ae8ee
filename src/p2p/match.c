#include "p2p/match.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BUCKETS = 16
};

static struct link orphans = LIST_INIT(orphans);
_Atomic(struct match *) match_dead;
static struct match *last_found; /* of the last match_find: most messages are of one communicator */

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
    if (source == MPI_ANY_SOURCE)
        *(tag == MPI_ANY_TAG ? &space->any_both : &space->any_source) += change;
    else if (tag == MPI_ANY_TAG)
        space->any_tag += change;
}

bool match_post(struct match_space *space, struct posted *p, int source, int tag)
{
    if (!table_add(&space->posted, &p->key, source, tag))
        return false;
    p->stamp = space->stamps++;
    count_wildcards(space, source, tag, 1);
    return true;
}

void match_unpost(struct match_space *space, struct posted *p)
{
    table_remove(&space->posted, &p->key);
    count_wildcards(space, p->key.source, p->key.tag, (uint32_t)-1);
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

struct posted *match_arrival(struct match_space *space, int source, int tag)
{
    struct posted *best = earlier(NULL, space, source, tag);

    if (space->any_source)
        best = earlier(best, space, MPI_ANY_SOURCE, tag);
    if (space->any_tag)
        best = earlier(best, space, source, MPI_ANY_TAG);
    if (space->any_both)
        best = earlier(best, space, MPI_ANY_SOURCE, MPI_ANY_TAG);
    if (best)
        match_unpost(space, best);
    return best;
}

static void take_keys(struct match_space *space, struct unexpected *u, int keys)
{
    for (int i = 0; i < keys; i++)
        table_remove(&space->unexpected, &u->key[i]);
}

static bool add_keys(struct match_space *space, struct unexpected *u)
{
    const int source[UNEXPECTED_KEYS] = {u->message.source, u->message.source, MPI_ANY_SOURCE,
                                         MPI_ANY_SOURCE};
    const int tag[UNEXPECTED_KEYS] = {u->message.tag, MPI_ANY_TAG, u->message.tag, MPI_ANY_TAG};

    for (int i = 0; i < UNEXPECTED_KEYS; i++)
        if (!table_add(&space->unexpected, &u->key[i], source[i], tag[i])) {
            take_keys(space, u, i);
            return false;
        }
    return true;
}

bool match_keep(struct match_space *space, const struct arrival *arrival)
{
    struct unexpected *u = malloc(sizeof *u + arrival->message->length);

    if (!u)
        return false;
    u->message = *arrival->message;
    u->from = arrival->from;
    memcpy(u->payload, arrival->payload, arrival->message->length);
    list_init(&u->orphan);
    if (!space) {
        list_add(&orphans, &u->orphan);
        return true;
    }
    if (add_keys(space, u))
        return true;
    free(u);
    return false;
}

struct unexpected *match_look(struct match_space *space, int source, int tag)
{
    enum unexpected_key by = source == MPI_ANY_SOURCE ? (tag == MPI_ANY_TAG ? BY_NONE : BY_TAG)
                                                      : (tag == MPI_ANY_TAG ? BY_SOURCE : BY_BOTH);
    struct key_link *k = table_first(&space->unexpected, source, tag);

    return k ? LIST_ENTRY(k - by, struct unexpected, key[0]) : NULL;
}

void match_take(struct match_space *space, struct unexpected *u)
{
    take_keys(space, u, UNEXPECTED_KEYS);
}

static void drain_unexpected(struct match_space *space)
{
    struct unexpected *u;

    while ((u = match_look(space, MPI_ANY_SOURCE, MPI_ANY_TAG))) {
        match_take(space, u);
        free(u);
    }
}

static void free_match(struct match *match)
{
    if (last_found == match)
        last_found = NULL;
    for (int plane = 0; plane < PLANE_COUNT; plane++) {
        drain_unexpected(&match->space[plane]);
        free(match->space[plane].posted.bucket);
        free(match->space[plane].unexpected.bucket);
    }
    free(match);
}

/* Called by comm when the last reference to the communicator goes: nothing is posted any more. That may be in
 * any thread, with the engine's lock or without, so freeing waits for the next poll. */
static void match_bury(struct match *match)
{
    match->next_dead = atomic_load_explicit(&match_dead, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&match_dead, &match->next_dead, match, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

void match_free_dead(void)
{
    struct match *match = atomic_exchange_explicit(&match_dead, NULL, memory_order_acquire), *next;

    for (; match; match = next) {
        next = match->next_dead;
        free_match(match);
    }
}

static bool adopt_orphans(struct match *match)
{
    struct link *next;

    for (struct link *l = orphans.next; l != &orphans; l = next) {
        struct unexpected *u = LIST_ENTRY(l, struct unexpected, orphan);

        next = l->next;
        if (u->message.context != match->context)
            continue;
        if (!add_keys(&match->space[u->message.plane], u))
            return false;
        list_remove(&u->orphan);
    }
    return true;
}

struct match *match_of(struct comm *comm)
{
    struct match *match = comm->match;

    if (match)
        return match;
    match = calloc(1, sizeof *match);
    if (!match)
        return NULL;
    match->context = comm->context;
    if (!adopt_orphans(match)) {
        free_match(match);
        return NULL;
    }
    comm->match_free = match_bury;
    return comm->match = match;
}

struct match *match_find(uint64_t context)
{
    struct comm *comm;

    if (last_found && last_found->context == context)
        return last_found;
    comm = comm_find(context);
    if (!comm)
        return NULL;
    return last_found = match_of(comm);
}
