#include "p2p/match/unexpected.h"

#include "base/copy.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_ROOM = 16,
    ALIGNMENT = 64,
    LARGE = 1 << 18 /* records: a store that large is given back when it is empty */
};

static bool has_all(const struct unexpected_store *s)
{
    return s->by_source && s->by_tag;
}

void unexpected_init(struct unexpected_store *s, bool any_source, bool any_tag)
{
    *s = (struct unexpected_store){
        .used = 1, .by_source = any_tag, .by_tag = any_source, .words = &metric_library};
}

static void forget_payload(struct unexpected *u)
{
    if (u->length > UNEXPECTED_NEAR)
        free(u->far);
}

/* The caller holds the lock of the words, too. */
static void count_live(struct unexpected_store *s, int change)
{
    uint32_t live = atomic_load_explicit(&s->live, memory_order_relaxed);

    atomic_store_explicit(&s->live, live + (uint32_t)change, memory_order_relaxed);
    metric_add(&s->words->at[METRIC_UNEXPECTED], (uint64_t)change);
    metric_tell_queue();
}

static void free_records(struct unexpected_store *s)
{
    free(s->record);
    match_hash_free(&s->keys);
    s->record = NULL;
    s->room = 0;
}

void unexpected_fini(struct unexpected_store *s)
{
    count_live(s, -(int)atomic_load_explicit(&s->live, memory_order_relaxed));
    for (uint32_t i = 1; i < s->used; i++)
        if (s->record[i].waits)
            forget_payload(&s->record[i]);
    free_records(s);
}

/* Records. */

/* Out of line: it is rare. */
__attribute__((noinline)) static bool grow_records(struct unexpected_store *s)
{
    uint32_t room = s->room ? s->room * 2 : FIRST_ROOM; /* 0: it would be 2^32 */
    struct unexpected *bigger = room ? aligned_alloc(ALIGNMENT, (size_t)room * sizeof *bigger) : NULL;

    if (!bigger)
        return false;
    if (s->record)
        memcpy(bigger, s->record, (size_t)s->used * sizeof *bigger);
    free(s->record);
    s->record = bigger;
    s->room = room;
    return true;
}

static struct unexpected *record_new(struct unexpected_store *s)
{
    struct unexpected *u;

    if (s->free) {
        u = &s->record[s->free];
        s->free = u->in[0].next;
    } else {
        if (s->used >= s->room && !grow_records(s))
            return NULL;
        u = &s->record[s->used++];
        u->waits = false;
    }
    count_live(s, 1);
    return u;
}

static void record_free(struct unexpected_store *s, struct unexpected *u)
{
    count_live(s, -1);
    if (atomic_load_explicit(&s->live, memory_order_relaxed)) {
        u->in[0].next = s->free;
        s->free = unexpected_index(s, u);
        return;
    }
    s->free = 0;
    s->used = 1;
    if (s->room >= LARGE)
        free_records(s);
}

void unexpected_free(struct unexpected_store *s, struct unexpected *u)
{
    forget_payload(u);
    record_free(s, u);
}

/* Chains. */

static void append(struct unexpected_store *s, uint32_t i, enum unexpected_chain chain,
                   struct match_chain *ends)
{
    s->record[i].in[chain] = (struct unexpected_link){.next = 0, .prev = ends->last};
    if (ends->last)
        s->record[ends->last].in[chain].next = i;
    else
        ends->first = i;
    ends->last = i;
}

/* Files a message in all chains; there is room for the keys. */
static void file(struct unexpected_store *s, uint32_t i)
{
    int source = s->record[i].source, tag = s->record[i].tag;

    append(s, i, CHAIN_EXACT, &match_hash_add(&s->keys, source, tag)->ends);
    if (s->by_source)
        append(s, i, CHAIN_SOURCE, &match_hash_add(&s->keys, source, MPI_ANY_TAG)->ends);
    if (s->by_tag)
        append(s, i, CHAIN_TAG, &match_hash_add(&s->keys, MPI_ANY_SOURCE, tag)->ends);
    if (has_all(s))
        append(s, i, CHAIN_ALL, &s->all);
    else
        s->record[i].stamp = s->stamps++;
}

static void leave_chain(struct unexpected_store *s, const struct unexpected *u, enum unexpected_chain chain,
                        struct match_chain *ends)
{
    struct unexpected_link l = u->in[chain];

    if (l.prev)
        s->record[l.prev].in[chain].next = l.next;
    else
        ends->first = l.next;
    if (l.next)
        s->record[l.next].in[chain].prev = l.prev;
    else
        ends->last = l.prev;
}

/* In the middle of its chain a record leaves without a look at the key. */
static void leave_chain_of_key(struct unexpected_store *s, const struct unexpected *u,
                               enum unexpected_chain chain, int source, int tag)
{
    bool is_first = !u->in[chain].prev, is_last = !u->in[chain].next;
    struct match_hash_slot *slot = is_first || is_last ? match_hash_find(&s->keys, source, tag) : NULL;

    if (is_first && is_last)
        match_hash_remove(&s->keys, slot);
    else
        leave_chain(s, u, chain, slot ? &slot->ends : NULL);
}

static void leave_chains(struct unexpected_store *s, const struct unexpected *u)
{
    leave_chain_of_key(s, u, CHAIN_EXACT, u->source, u->tag);
    if (s->by_source)
        leave_chain_of_key(s, u, CHAIN_SOURCE, u->source, MPI_ANY_TAG);
    if (s->by_tag)
        leave_chain_of_key(s, u, CHAIN_TAG, MPI_ANY_SOURCE, u->tag);
    if (has_all(s))
        leave_chain(s, u, CHAIN_ALL, &s->all);
}

void unexpected_take(struct unexpected_store *s, struct unexpected *u)
{
    if (s->single)
        s->single = 0;
    else
        leave_chains(s, u);
    u->waits = false;
}

/* Keeping and finding. */

static bool copy_payload(struct unexpected *u, const void *payload)
{
    unsigned char *to = u->near;

    if (u->length > UNEXPECTED_NEAR) {
        to = u->far = malloc(u->length);
        if (!to)
            return false;
    }
    copy_bytes(to, payload, u->length);
    return true;
}

/* Room to file another message, and the single one; a message that will be single needs none. */
static inline bool reserve(struct unexpected_store *s)
{
    uint32_t keys = 1u + s->by_source + s->by_tag;

    return unexpected_is_empty(s) || match_hash_reserve(&s->keys, s->single ? keys * 2 : keys);
}

/* Adds a message to those that wait. */
static inline void unexpected_enter(struct unexpected_store *s, uint32_t i)
{
    if (unexpected_is_empty(s)) {
        s->single = i;
        return;
    }
    if (s->single)
        file(s, s->single);
    s->single = 0;
    file(s, i);
}

bool unexpected_keep(struct unexpected_store *s, const struct arrival *arrival)
{
    const struct message *m = arrival->message;
    struct unexpected *u = reserve(s) ? record_new(s) : NULL;

    if (!u)
        return false;
    u->source = m->source;
    u->tag = m->tag;
    u->length = m->length;
    u->kind = m->kind;
    u->from = arrival->from;
    if (!copy_payload(u, arrival->payload)) {
        record_free(s, u);
        return false;
    }
    u->waits = true;
    metric_add(&s->words->at[METRIC_UNEXPECTED_MESSAGES], 1);
    metric_add(&s->words->at[METRIC_UNEXPECTED_BYTES], m->length);
    unexpected_enter(s, unexpected_index(s, u));
    return true;
}

static bool accepts(int source, int tag, const struct unexpected *u)
{
    return u->waits && (source == MPI_ANY_SOURCE || source == u->source) &&
           (tag == MPI_ANY_TAG || tag == u->tag);
}

/* For a key that is left out, and CHAIN_ALL with it. */
static struct unexpected *search(const struct unexpected_store *s, int source, int tag)
{
    struct unexpected *first = NULL;

    for (uint32_t i = 1; i < s->used; i++)
        if (accepts(source, tag, &s->record[i]) && (!first || s->record[i].stamp < first->stamp))
            first = &s->record[i];
    return first;
}

struct unexpected *unexpected_find(struct unexpected_store *s, int source, int tag)
{
    bool any_source = source == MPI_ANY_SOURCE, any_tag = tag == MPI_ANY_TAG;
    struct match_hash_slot *slot;

    if (s->single)
        return accepts(source, tag, &s->record[s->single]) ? &s->record[s->single] : NULL;
    if ((any_source && !s->by_tag) || (any_tag && !s->by_source))
        return search(s, source, tag);
    if (any_source && any_tag)
        return s->all.first ? &s->record[s->all.first] : NULL;
    slot = match_hash_find(&s->keys, source, tag);
    return slot ? &s->record[slot->ends.first] : NULL;
}

/* Changing the keys. */

static int is_later(const void *a, const void *b, void *store)
{
    const struct unexpected_store *s = store;
    uint64_t x = s->record[*(const uint32_t *)a].stamp, y = s->record[*(const uint32_t *)b].stamp;

    return (x > y) - (x < y);
}

/* The indices of the messages in the chains in order of arrival, to be freed; NULL: no memory. */
static uint32_t *list(struct unexpected_store *s, uint32_t *count)
{
    size_t live = atomic_load_explicit(&s->live, memory_order_relaxed);
    uint32_t *index = malloc((live + 1) * sizeof *index), n = 0;

    if (!index)
        return NULL;
    if (has_all(s))
        for (uint32_t i = s->all.first; i; i = s->record[i].in[CHAIN_ALL].next)
            index[n++] = i;
    else
        for (uint32_t i = 1; i < s->used; i++)
            if (s->record[i].waits && i != s->single)
                index[n++] = i;
    if (!has_all(s))
        qsort_r(index, n, sizeof *index, is_later, s);
    *count = n;
    return index;
}

/* Files the messages anew. */
void unexpected_adapt(struct unexpected_store *s, bool any_source, bool any_tag)
{
    struct match_hash keys = {0};
    uint32_t *index, count;

    if (s->by_tag == any_source && s->by_source == any_tag)
        return;
    index = list(s, &count);
    if (index && match_hash_reserve(&keys, (uint64_t)count * (1u + any_source + any_tag))) {
        match_hash_free(&s->keys);
        s->keys = keys;
        s->by_source = any_tag;
        s->by_tag = any_source;
        s->all = (struct match_chain){0};
        for (uint32_t i = 0; i < count; i++)
            file(s, index[i]);
    }
    free(index);
}
