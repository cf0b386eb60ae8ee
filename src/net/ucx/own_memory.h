/* own_memory: memory of this process that is exposed, found by its key: a random number, which peers are told. */
#ifndef NET_UCX_OWN_MEMORY_H
#define NET_UCX_OWN_MEMORY_H

#include "net/ucx/ucx_peer.h"

struct memory_region {
    struct link link; /* in its bucket; of none when it drains */
    char *memory;
    size_t bytes;
    uint64_t key;
    enum exposure exposure;
    ucp_mem_h mapped;    /* of a window; rma.h */
    struct link readers; /* rma.c's: who has its key */

    unsigned leaving;           /* messages out of it that UCX has not done with */
    bool is_freed;              /* as soon as that is 0 */
    struct ucx_peer *drains_to; /* reads.c's: who is told of when it is 0; NULL: nobody */
    struct message drained;     /* by this */
};

/* NULL: no memory, or no random numbers. */
struct memory_region *own_memory_new(const void *memory, size_t bytes, enum exposure exposure);
void own_memory_free(struct memory_region *r);
/* Nobody finds it any more. */
void own_memory_hide(struct memory_region *r);
/* The region with this key, if it is exposed for that purpose. NULL: there is none. */
struct memory_region *own_memory_find(uint64_t key, enum exposure exposure);

#endif
