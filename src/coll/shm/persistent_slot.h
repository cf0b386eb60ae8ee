/* persistent_slot: mailboxes of its own for each plain persistent collective.
 *
 * Ranks may start persistent collectives in different orders, so a count of all starts tells nothing. But
 * all ranks make them in the same order. So each request gets a *slot*: room for mailboxes of its own in
 * memory that all ranks have mapped already. Its sequence numbers count the starts of this request alone. A
 * start matches nothing and waits for no other request.
 *
 * A rank that completes an allreduce, or another collective to which all ranks contribute, knows that the
 * others have completed the start before. So four lines and two segments are enough, and no rank checks how
 * far the others are. The root of a broadcast, and those that send to the root of a reduction, run ahead by
 * as many starts as there are lines and segments, so these have more.
 *
 * Slots are cut from the slabs of a pool. A slab is a shared region. Which units of a slab are taken is the
 * same on all ranks without a word, since they make the same slots in the same order. A rank that frees a
 * request only notes that. When no slab has room for a new slot, the ranks exchange what they have freed.
 * What all have freed is cleared and used again, so no rank writes where another still reads. If that is not
 * enough the pool gets a new slab, twice as large as the last one.
 *
 * Cost on each rank: 640 bytes of shared memory for a request of up to 112 bytes, and twice its bytes more
 * for a longer one, or 128 KiB for an allreduce of 8 to 64 KiB. Broadcasts and reductions to one rank take 2
 * KiB, and eight times their bytes, or 256 KiB from 8 to 64 KiB, and four times their bytes above. The slabs
 * of a communicator take at most 16 MiB; where that is not enough, requests use messages, on all ranks
 * alike. Making a request is an exchange between ranks only when the slabs are full. A request also takes
 * some 400 bytes of plain memory, and 40 for each rank of its communicator.
 *
 * Threads: slots are made in collective calls, one at a time for each communicator. Any thread frees them.
 */
#ifndef COLL_SHM_PERSISTENT_SLOT_H
#define COLL_SHM_PERSISTENT_SLOT_H

#include "coll/choice.h"
#include "coll/shm/mailbox.h"

enum {
    SLABS = 10,
    SLAB_LEAST = 16 * 1024 /* bytes of the first one; the last is 2^(SLABS - 1) as large */
};

/* Of a communicator. */
struct slot_pool {
    struct slot_slab *slab[SLABS];
    int slabs;
    bool is_full; /* there will be no more slabs */
    int skips; /* then: calls that go by without an exchange of what is freed, since the last gave nothing */
    uint64_t made; /* slots */
};

/* Collective: mailboxes for a persistent collective of so many bytes (of the largest buffer of a rank). NULL,
 * on all ranks: there is no room. &persistent_slot_none: this rank has no memory to keep account of its slot;
 * it cannot make the request, while others can. */
struct mailboxes *persistent_slot_new(struct comm *comm, struct slot_pool *pool, enum collective collective,
                                      size_t bytes);
extern struct mailboxes persistent_slot_none;
/* This rank starts it no more. */
void persistent_slot_free(struct mailboxes *boxes);
/* All slots of the pool are freed on this rank. */
void persistent_slot_free_all(struct slot_pool *pool);

#endif
