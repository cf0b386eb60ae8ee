#include "cmd/simulate/step_store.h"

#include <stdlib.h>
#include <string.h>

bool step_store_open(struct step_store *store, int ranks)
{
    *store = (struct step_store){.ranks = ranks, .slots = (size_t)1 << 16};
    store->table = calloc(store->slots, sizeof *store->table);
    store->of_rank = malloc((size_t)ranks * sizeof *store->of_rank);
    return store->table && store->of_rank;
}

void step_store_close(struct step_store *store)
{
    free(store->step);
    free(store->stored);
    free(store->table);
    free(store->of_rank);
}

static int32_t relate(const struct step_store *store, enum relation relation, int rank, int peer)
{
    if (relation == RELATION_DISTANCE)
        return (int32_t)(((int64_t)peer - rank + store->ranks) % store->ranks);
    return relation == RELATION_BITS ? peer ^ rank : peer;
}

static bool step_store_grow(void **memory, size_t item, size_t wanted, size_t *capacity)
{
    size_t more = *capacity ? *capacity : 256;
    void *bigger;

    while (more < wanted)
        more *= 2;
    if (more == *capacity)
        return true;
    if (more * item > STORE_BYTES)
        return false;
    bigger = realloc(*memory, more * item);
    if (!bigger)
        return false;
    *memory = bigger;
    *capacity = more;
    return true;
}

static bool is_message(const struct step *step)
{
    return step->kind == STEP_SEND || step->kind == STEP_RECV;
}

/* Bytes that a step moves: as many items as both of its blocks have. */
static uint64_t moved(const struct step *step)
{
    const struct coll_block *b = step->kind == STEP_RECV ? &step->to : &step->from;

    return step->kind == STEP_WAIT ? 0 : (uint64_t)block_bytes(*b);
}

/* Writes the steps behind those that are kept, peers as ranks. Returns how many; -1: the store is full. */
static int write_steps(struct step_store *store, const struct schedule *s)
{
    struct stored_step *out;
    int count = 0;

    if (!step_store_grow((void **)&store->step, sizeof *store->step, store->steps + (size_t)s->steps + 1,
                         &store->capacity))
        return -1;
    out = store->step + store->steps;
    for (int i = 0; i < s->steps; i++) {
        const struct step *step = &s->step[i];
        struct stored_step *last = count ? &out[count - 1] : NULL;

        if (last && !is_message(step) && last->kind == step->kind && last->times < UINT16_MAX) {
            last->bytes += moved(step);
            last->times++;
            continue;
        }
        out[count++] = (struct stored_step){.bytes = moved(step),
                                            .peer = is_message(step) ? step->peer : 0,
                                            .kind = (uint8_t)step->kind,
                                            .times = 1};
    }
    return count;
}

static void put_in_relation(const struct step_store *store, enum relation relation, int rank,
                            const struct stored_step *from, struct stored_step *to, int steps)
{
    for (int i = 0; i < steps; i++) {
        to[i] = from[i];
        if (from[i].kind == STEP_SEND || from[i].kind == STEP_RECV)
            to[i].peer = relate(store, relation, rank, from[i].peer);
    }
}

static uint64_t hash_of(enum relation relation, const struct stored_step *step, int steps)
{
    uint64_t hash = 0xcbf29ce484222325 + relation;

    for (int i = 0; i < steps; i++) {
        hash = (hash ^ step[i].bytes) * 0x100000001b3;
        hash = (hash ^ (uint32_t)step[i].peer) * 0x9e3779b97f4a7c15;
        hash = (hash ^ ((unsigned)step[i].kind << 16 | step[i].times)) * 0x100000001b3;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool step_store_are_equal(const struct stored_step *a, const struct stored_step *b, int steps)
{
    for (int i = 0; i < steps; i++)
        if (a[i].bytes != b[i].bytes || a[i].peer != b[i].peer || a[i].kind != b[i].kind ||
            a[i].times != b[i].times)
            return false;
    return true;
}

/* The slot of a schedule like this one, or the empty one where it belongs. */
static int *step_store_find_slot(const struct step_store *store, const struct stored *like)
{
    size_t at = like->hash & (store->slots - 1);

    for (; store->table[at]; at = (at + 1) & (store->slots - 1)) {
        const struct stored *there = &store->stored[store->table[at] - 1];

        if (there->hash == like->hash && there->relation == like->relation && there->steps == like->steps &&
            step_store_are_equal(store->step + there->first, store->step + like->first, like->steps))
            break;
    }
    return &store->table[at];
}

static bool widen_table(struct step_store *store)
{
    size_t slots = store->slots * 2;
    int *table = calloc(slots, sizeof *table);

    if (!table)
        return false;
    free(store->table);
    store->table = table;
    store->slots = slots;
    for (int i = 0; i < store->count; i++) {
        size_t at = store->stored[i].hash & (slots - 1);

        while (table[at])
            at = (at + 1) & (slots - 1);
        table[at] = i + 1;
    }
    return true;
}

/* Keeps what stands behind the kept steps as a schedule of its own. */
static bool step_store_keep(struct step_store *store, struct stored stored)
{
    size_t room = (size_t)store->room;

    if (!step_store_grow((void **)&store->stored, sizeof *store->stored, (size_t)store->count + 1, &room))
        return false;
    store->room = (int)room;
    if ((size_t)store->count * 2 >= store->slots && !widen_table(store))
        return false;
    store->stored[store->count++] = stored;
    *step_store_find_slot(store, &stored) = store->count;
    store->steps += (size_t)stored.steps;
    return true;
}

bool step_store_add(struct step_store *store, int rank, const struct schedule *s)
{
    int steps = write_steps(store, s), found = 0;
    struct stored like[RELATIONS];
    size_t begin = store->steps;

    if (steps < 0 || !step_store_grow((void **)&store->step, sizeof *store->step,
                                      begin + 4 * (size_t)steps + 4, &store->capacity))
        return false;
    for (int r = 0; r < RELATIONS && !found;
         r++) { /* each behind the last one; the ranks themselves stand first */
        like[r] = (struct stored){
            .first = begin + (size_t)(r + 1) * (size_t)steps, .steps = steps, .relation = (enum relation)r};
        put_in_relation(store, like[r].relation, rank, store->step + begin, store->step + like[r].first,
                        steps);
        like[r].hash = hash_of(like[r].relation, store->step + like[r].first, steps);
        found = *step_store_find_slot(store, &like[r]);
    }
    for (int r = 0; r < RELATIONS && !found; r++) {
        memmove(store->step + store->steps, store->step + like[r].first, (size_t)steps * sizeof *store->step);
        like[r].first = store->steps;
        if (!step_store_keep(store, like[r]))
            return false;
    }
    store->of_rank[rank] = (found ? found : store->count) - 1;
    return true;
}
