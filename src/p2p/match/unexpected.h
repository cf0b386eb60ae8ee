/* unexpected: messages that came before their receive, found in constant time.
 *
 * A message is a record of one cache line in the store's array. A small payload lies in the record. A message is
 * a member of a chain for each key that could ask for it: (source, tag), and, unless asserted never to be used,
 * (source, MPI_ANY_TAG), (MPI_ANY_SOURCE, tag) and both. Chains are in order of arrival, so MPI's order holds.
 * A message that comes when none waits is `single`: it is in no chain. One compare shows whether a receive asks
 * for it. A second message puts both into the chains.
 * Links are indices into the array, which may move when it grows. The record freed last is used first. When none
 * is in use, the array is used from its beginning, so that messages that come together lie together.
 *
 * Lock: that of the store's owner.
 */
#ifndef P2P_MATCH_UNEXPECTED_H
#define P2P_MATCH_UNEXPECTED_H

#include "metric/metric.h"
#include "net/net.h"
#include "p2p/match/match_hash.h"

enum unexpected_chain {
    CHAIN_EXACT,
    CHAIN_SOURCE, /* (source, MPI_ANY_TAG) */
    CHAIN_TAG,    /* (MPI_ANY_SOURCE, tag) */
    CHAIN_ALL,    /* (MPI_ANY_SOURCE, MPI_ANY_TAG) */
    CHAIN_COUNT
};

struct unexpected_link {
    uint32_t next, prev; /* indices; 0: none */
};

enum {
    UNEXPECTED_NEAR = 8 /* bytes of payload that lie in the record */
};

struct unexpected {
    union {
        struct unexpected_link in[CHAIN_COUNT];
        struct {
            struct unexpected_link others[CHAIN_ALL];
            uint64_t stamp; /* order of arrival, where CHAIN_ALL is left out */
        };
    };
    int32_t source, tag;
    uint32_t length;
    uint8_t kind;
    bool waits; /* it is `single` or in the chains */
    struct peer *from;
    union {
        unsigned char near[UNEXPECTED_NEAR];
        unsigned char *far; /* owned */
    };
};

_Static_assert(sizeof(struct unexpected) == 64, "a record is a cache line");

struct unexpected_store {
    struct unexpected *record;  /* [0] is not used; NULL until the first message */
    uint32_t room, used;        /* records that there are; how many have been in use, [0] included */
    uint32_t free;              /* the record given back last, 0: none */
    _Atomic uint32_t live;      /* how many are in use; any thread reads it, relaxed */
    struct metric_words *words; /* what counts them */
    uint32_t single;            /* the only message that waits; 0: there is none, or several */
    struct match_hash keys;     /* of all chains but CHAIN_ALL */
    struct match_chain all;
    uint64_t stamps;        /* how many messages were filed where CHAIN_ALL was left out */
    bool by_source, by_tag; /* CHAIN_SOURCE, CHAIN_TAG exist; CHAIN_ALL does if both do */
};

/* An empty store whose messages can be asked for by MPI_ANY_SOURCE, MPI_ANY_TAG. */
void unexpected_init(struct unexpected_store *s, bool any_source, bool any_tag);
/* The same of a store in use. Without memory it stays as it is: slower or faster to search, not wrong. */
void unexpected_adapt(struct unexpected_store *s, bool any_source, bool any_tag);
void unexpected_fini(struct unexpected_store *s);

/* Keeps a copy of an arrival; false: no memory. Records may move. */
bool unexpected_keep(struct unexpected_store *s, const struct arrival *arrival);
/* The first message that a receive with this source and tag accepts; NULL: there is none. */
struct unexpected *unexpected_find(struct unexpected_store *s, int source, int tag);
/* Takes a message that unexpected_find gave away from those that wait. It stays until it is freed. */
void unexpected_take(struct unexpected_store *s, struct unexpected *u);
void unexpected_free(struct unexpected_store *s, struct unexpected *u);

/* Each message that waits is `single` or has its key. */
static inline bool unexpected_is_empty(const struct unexpected_store *s)
{
    return !s->single && s->keys.count == 0;
}

/* A name that stays while records move. */
static inline uint32_t unexpected_index(const struct unexpected_store *s, const struct unexpected *u)
{
    return (uint32_t)(u - s->record);
}

static inline struct unexpected *unexpected_at(const struct unexpected_store *s, uint32_t index)
{
    return &s->record[index];
}

static inline struct message unexpected_message(const struct unexpected *u)
{
    return (struct message){.length = u->length, .kind = u->kind, .source = u->source, .tag = u->tag};
}

static inline const void *unexpected_payload(const struct unexpected *u)
{
    return u->length <= UNEXPECTED_NEAR ? u->near : u->far;
}

#endif
