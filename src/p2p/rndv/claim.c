#include "p2p/rndv/claim.h"

#include "memory/heap.h"
#include "net/net.h"
#include "p2p/rndv/pack_pipeline.h"

#include "p2p/rndv/rndv.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 32,     /* words that are made at once */
    WORD_BYTES = 64 /* apart: they change hands between cores */
};

/* A word of this process. */
struct claim {
    _Atomic uint64_t
        *word;          /* release by who opens it or puts it back; acquire, and release, by who takes it */
    struct claim *next; /* of those that are free */
};

static bool make_block(struct lane *lane)
{
    struct extent *extent; /* never freed */
    struct claim *block = calloc(BLOCK, sizeof *block);
    unsigned char *words = block ? heap_alloc((size_t)BLOCK * WORD_BYTES, WORD_BYTES, &extent) : NULL;

    if (block && !words) /* this process sees them at least */
        words = aligned_alloc(WORD_BYTES, (size_t)BLOCK * WORD_BYTES);
    if (!words) {
        free(block);
        return false;
    }
    for (int i = 0; i < BLOCK; i++) {
        block[i].word = (_Atomic uint64_t *)(void *)(words + (size_t)i * WORD_BYTES);
        block[i].next = i + 1 < BLOCK ? &block[i + 1] : NULL;
    }
    lane->claims = block;
    return true;
}

uint64_t claim_open(struct transfer *t)
{
    struct lane *lane = transfer_lane(t);
    struct claim *c;

    if ((t->plane != PLANE_P2P && !net_survives()) || !t->peer->transport->map ||
        (!lane->claims && !make_block(lane)))
        return 0;
    c = lane->claims;
    if (t->peer->transport->line && !heap_holds(c->word, sizeof *c->word)) /* it is another process */
        return 0;
    lane->claims = c->next;
    t->claim = c;
    /* relaxed: the RTS publishes it */
    atomic_store_explicit(c->word, object_handle(&transfer_request(t)->object), memory_order_relaxed);
    return (uint64_t)(uintptr_t)c->word;
}

void claim_close(struct transfer *t)
{
    struct lane *lane = transfer_lane(t);

    if (!t->claim)
        return;
    t->claim->next = lane->claims;
    lane->claims = t->claim;
    t->claim = NULL;
}

/* acquire: what the other side did before it put the claim back; release: what it was given for */
static bool exchange_word(_Atomic uint64_t *word, uint64_t holder)
{
    return atomic_compare_exchange_strong_explicit(word, &holder, 0, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

bool claim_withdraw(struct transfer *t)
{
    return t->claim && exchange_word(t->claim->word, object_handle(&transfer_request(t)->object));
}

/* The word of an RTS, and what it holds while the RTS stands; NULL: it has none. */
static _Atomic uint64_t *word_of(struct peer *from, const void *payload, uint64_t *holder)
{
    struct rts rts;

    memcpy(&rts, payload, sizeof rts);
    if (!from->transport->map || !rts.key)
        return NULL;
    *holder = rts.sender ? rts.sender : rts.key;
    if (!rts.sender)
        return pack_pipeline_claim(from, rts.address);
    return rts.key % sizeof(uint64_t) ? NULL : net_map(from, rts.key, sizeof(uint64_t));
}

bool claim_take_rts(struct peer *from, const void *rts)
{
    uint64_t holder;
    _Atomic uint64_t *word = word_of(from, rts, &holder);

    return !word || exchange_word(word, holder);
}

/* True of a message that is no offer. */
static bool claim_stands(const struct unexpected *u)
{
    uint64_t holder;
    _Atomic uint64_t *word = u->kind == MESSAGE_RTS ? word_of(u->from, unexpected_payload(u), &holder) : NULL;

    return !word || atomic_load_explicit(word, memory_order_acquire) == holder;
}

void claim_put_back(struct peer *from, const void *rts)
{
    uint64_t holder;
    _Atomic uint64_t *word = word_of(from, rts, &holder);

    if (word)
        atomic_store_explicit(word, holder, memory_order_release);
}

struct unexpected *claim_find_unexpected(struct unexpected_store *store, int source, int tag)
{
    struct unexpected *u = unexpected_find(store, source, tag);

    while (u && !claim_stands(u)) {
        unexpected_take(store, u);
        unexpected_free(store, u);
        u = unexpected_find(store, source, tag);
    }
    return u;
}
