#include "net/shm/consensus.h"

#include "boot/boot.h"
#include "net/shm/local.h"
#include "plain/fail.h"

#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINNER_BITS = 16 /* of `decision`: the local rank + 1; the number of the agreement is above */
};

/* Behind the head: the contexts, the leavers of each entry, the entries. */
struct consensus_head {
    _Alignas(CONSENSUS_UNIT) _Atomic uint32_t holder; /* of the table's lock: its local rank + 1; 0: nobody */
};

/* One round; behind it are the parts by local rank. */
struct consensus_round {
    _Alignas(CONSENSUS_UNIT) _Atomic uint64_t decision;
};

/* Owner: its rank. Behind it are the sets: failed, accepted, and the proposal's. */
struct consensus_part {
    _Atomic uint64_t number; /* release after the contribution, acquire before it is read */
    uint64_t value, context;
    uint64_t proposed_value; /* of the proposal, as the set of it; its context is this rank's own */
    uint64_t is_accepted;
    uint64_t sets[];
};

struct consensus {
    unsigned char *entry;
    int index, count, next; /* next: the members before it have contributed or are dead */
    const int *local_rank;
    uint64_t number;
};

static size_t words(void)
{
    return consensus_words(boot.local_size);
}

static struct consensus_head *table_head(void)
{
    return local.agreements;
}

static _Atomic uint64_t *table_context(int index)
{
    return (_Atomic uint64_t *)(void *)(table_head() + 1) + index;
}

/* The members that have left. Under the lock. */
static uint64_t *table_leavers(int index)
{
    return (uint64_t *)(void *)table_context(CONSENSUS_ENTRIES) + (size_t)index * words();
}

static unsigned char *table_entry(int index)
{
    return (unsigned char *)table_leavers(CONSENSUS_ENTRIES) +
           (size_t)index * consensus_entry_bytes(boot.local_size);
}

static struct consensus_round *round_of(const struct consensus *c)
{
    size_t bytes = consensus_entry_bytes(boot.local_size) / CONSENSUS_ROUNDS;

    return (struct consensus_round *)(void *)(c->entry + c->number % CONSENSUS_ROUNDS * bytes);
}

static struct consensus_part *consensus_part_of(const struct consensus *c, int local_rank)
{
    return (struct consensus_part *)(void *)((unsigned char *)(round_of(c) + 1) +
                                             (size_t)local_rank * consensus_part_bytes(boot.local_size));
}

static bool is_dead(int local_rank)
{
    return host_page_is_dead(local.page, local_rank);
}

/* Acquire and release: the holder before has left the table whole, or died between two stores, after each of which it is. */
static void table_take(void)
{
    uint32_t mine = (uint32_t)boot.local_rank + 1, holder = 0;

    while (!atomic_compare_exchange_strong_explicit(&table_head()->holder, &holder, mine,
                                                    memory_order_acquire, memory_order_relaxed)) {
        if (holder && !is_dead((int)holder - 1))
            holder = 0;
        sched_yield();
    }
}

static void table_release(void)
{
    atomic_store_explicit(&table_head()->holder, 0, memory_order_release);
}

/* Under the lock. -1: there is none. */
static int table_find(uint64_t context)
{
    for (int i = 0; i < CONSENSUS_ENTRIES; i++)
        if (atomic_load_explicit(table_context(i), memory_order_relaxed) == context)
            return i;
    return -1;
}

static int table_find_or_add(uint64_t context)
{
    int index;

    table_take();
    index = table_find(context);
    if (index < 0) {
        index = table_find(0);
        if (index >= 0)
            atomic_store_explicit(table_context(index), context, memory_order_relaxed);
    }
    table_release();
    return index;
}

struct consensus *consensus_open(uint64_t context, int count, const int *local_rank)
{
    struct consensus *c = local.agreements ? calloc(1, sizeof *c) : NULL;

    if (!local.agreements) {
        fail(MPI_ERR_UNSUPPORTED_OPERATION, "the job was not started with mpiexec --survive");
        return NULL;
    }
    if (c)
        c->index = table_find_or_add(context);
    if (!c || c->index < 0) {
        free(c);
        fail(MPI_ERR_NO_MEM, "no room for the agreements of one more communicator: a host has room for %d",
             CONSENSUS_ENTRIES);
        return NULL;
    }
    c->entry = table_entry(c->index);
    c->count = count;
    c->local_rank = local_rank;
    return c;
}

/* Under the lock. */
static bool have_all_left(const struct consensus *c)
{
    const uint64_t *left = table_leavers(c->index);
    bool all = true;

    for (int i = 0; i < c->count && all; i++) {
        int rank = c->local_rank[i];

        all = left[rank / 64] >> rank % 64 & 1 || is_dead(rank);
    }
    return all;
}

void consensus_close(struct consensus *c)
{
    if (local.agreements) {
        table_take();
        table_leavers(c->index)[boot.local_rank / 64] |= (uint64_t)1 << boot.local_rank % 64;
        if (have_all_left(c)) {
            memset(c->entry, 0, consensus_entry_bytes(boot.local_size));
            memset(table_leavers(c->index), 0, words() * sizeof(uint64_t));
            atomic_store_explicit(table_context(c->index), 0, memory_order_relaxed);
        }
        table_release();
    }
    free(c);
}

void consensus_begin(struct consensus *c, const struct contribution *mine)
{
    struct consensus_part *part;
    size_t n = words() * sizeof(uint64_t);

    c->number++;
    c->next = 0;
    part = consensus_part_of(c, boot.local_rank);
    part->value = mine->value;
    part->context = mine->context;
    memcpy(part->sets, mine->failed, n);
    memcpy(part->sets + words(), mine->accepted, n);
    atomic_store_explicit(&part->number, c->number, memory_order_release); /* pairs with has_contributed */
}

static bool has_contributed(const struct consensus *c, int local_rank)
{
    return atomic_load_explicit(&consensus_part_of(c, local_rank)->number, memory_order_acquire) == c->number;
}

/* First whether it is dead: then it contributes no more. */
static bool is_accounted_for(const struct consensus *c, int local_rank)
{
    return has_contributed(c, local_rank) || is_dead(local_rank);
}

/* Writes this rank's proposal. */
static void propose(const struct consensus *c)
{
    struct consensus_part *mine = consensus_part_of(c, boot.local_rank);
    uint64_t *failed = mine->sets + 2 * words();

    mine->proposed_value = ~(uint64_t)0;
    mine->is_accepted = true;
    memset(failed, 0, words() * sizeof *failed);
    for (int i = 0; i < c->count; i++) {
        const struct consensus_part *part = consensus_part_of(c, c->local_rank[i]);

        if (!has_contributed(c, c->local_rank[i])) {
            failed[c->local_rank[i] / 64] |= (uint64_t)1 << c->local_rank[i] % 64;
            continue;
        }
        mine->proposed_value &= part->value;
        for (size_t w = 0; w < words(); w++)
            failed[w] |= part->sets[w];
    }
    for (int i = 0; i < c->count; i++)
        for (size_t w = 0; w < words() && has_contributed(c, c->local_rank[i]); w++)
            mine->is_accepted &= !(failed[w] & ~consensus_part_of(c, c->local_rank[i])->sets[words() + w]);
}

static void take_decision(const struct consensus *c, uint64_t word, struct decision *decision)
{
    const struct consensus_part *winner = consensus_part_of(c, (int)(word & ((1 << WINNER_BITS) - 1)) - 1);

    *decision = (struct decision){.value = winner->proposed_value,
                                  .context = winner->context,
                                  .is_accepted = winner->is_accepted,
                                  .failed = winner->sets + 2 * words()};
}

bool consensus_poll(struct consensus *c, struct decision *decision)
{
    _Atomic uint64_t *at = &round_of(c)->decision;
    uint64_t word = atomic_load_explicit(at, memory_order_acquire), mine;

    if (word >> WINNER_BITS != c->number) {
        while (c->next < c->count && is_accounted_for(c, c->local_rank[c->next]))
            c->next++;
        if (c->next < c->count)
            return false;
        propose(c);
        mine = c->number << WINNER_BITS | (uint64_t)(boot.local_rank + 1);
        if (atomic_compare_exchange_strong_explicit(at, &word, mine, memory_order_acq_rel,
                                                    memory_order_acquire))
            word = mine;
    }
    take_decision(c, word, decision);
    return true;
}
