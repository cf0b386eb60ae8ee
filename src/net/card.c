#include "net/card.h"

#include "boot/boot.h"
#include "boot/host.h"
#include "net/net.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    BUCKETS = 1024
};

/* A process of another job. Never freed: groups may refer to it at any time. */
struct guest {
    struct card card;
    int process;
    struct guest *next; /* in its bucket */
};

static struct guest *bucket[BUCKETS];
static _Atomic(struct guest *)
    guests[CARD_GUESTS];  /* release when a number is assigned; acquire to read a card */
static _Atomic int count; /* changed by the holder of the lock; read by any thread */
/* Set once, with release; copied with acquire. NULL: none so far. */
static _Atomic(const struct card_address *) my_address;

static uint64_t my_host; /* written before other threads may be in MPI */

void card_set_host(uint64_t host)
{
    my_host = host;
}

struct card card_mine(void)
{
    const struct card_address *address = atomic_load_explicit(&my_address, memory_order_acquire);
    struct card card = {
        .job = host_hash(boot.job), .host = my_host, .rank = boot.rank, .local_rank = boot.local_rank};

    if (address)
        card.address = *address;
    return card;
}

void card_set_address(const struct card_address *address)
{
    atomic_store_explicit(&my_address, address, memory_order_release);
}

static uint64_t identity_of(uint64_t job, int32_t rank)
{
    return job ^ (uint64_t)(uint32_t)rank * 0x9e3779b97f4a7c15u;
}

uint64_t card_identity(int process)
{
    if (process < boot.size)
        return identity_of(host_hash(boot.job), process);
    return identity_of(card_of(process)->job, card_of(process)->rank);
}

static struct guest **bucket_of(uint64_t job, int32_t rank)
{
    return &bucket[identity_of(job, rank) % BUCKETS];
}

static struct guest *card_add(const struct card *card)
{
    int number = atomic_load_explicit(&count, memory_order_relaxed);
    struct guest **at = bucket_of(card->job, card->rank);
    struct guest *g = number < CARD_GUESTS ? malloc(sizeof *g) : NULL;

    if (!g)
        return NULL;
    *g = (struct guest){.card = *card, .process = boot.size + number, .next = *at};
    *at = g;
    atomic_store_explicit(&guests[number], g, memory_order_release);
    atomic_store_explicit(&count, number + 1, memory_order_release);
    return g;
}

int card_find(uint64_t job, int32_t rank)
{
    const struct guest *g;

    if (job == host_hash(boot.job))
        return rank >= 0 && rank < boot.size ? rank : -1;
    for (g = *bucket_of(job, rank); g && (g->card.job != job || g->card.rank != rank); g = g->next)
        ;
    return g ? g->process : -1;
}

int card_number(const struct card *card)
{
    int number = card_find(card->job, card->rank);
    const struct guest *g = number < 0 ? card_add(card) : NULL;

    if (number >= 0)
        return number;
    if (g)
        return g->process;
    fail(MPI_ERR_NO_MEM, "no memory for one more process of another job; there may be %d", CARD_GUESTS);
    return -1;
}

const struct card *card_of(int process)
{
    return &atomic_load_explicit(&guests[process - boot.size], memory_order_acquire)->card;
}

int card_end(void)
{
    return boot.size + atomic_load_explicit(&count, memory_order_acquire);
}
