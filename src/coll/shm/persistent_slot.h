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
 * Slots are cut one behind the other from a *slab*, a shared region. When it has no room for a new slot, the ranks
 * make another slab. A rank that frees a request only counts; a slab goes, like any region, when every rank has freed
 * all of its slots. So no memory is used again where another rank still reads.
 *
 * Cost on each rank: 640 bytes of shared memory for a request of up to 112 bytes, and twice its bytes more
 * for a longer one, or 128 KiB for an allreduce of 8 to 64 KiB. Broadcasts and reductions to one rank take 2
 * KiB, and eight times their bytes, or 256 KiB from 8 to 64 KiB, and four times their bytes above. The slabs
 * of a communicator take at most 16 MiB; where that is not enough, requests use messages, on all ranks
 * alike. Making a request is an exchange between ranks only when a slab is full. A request also takes
 * some 400 bytes of plain memory, and 40 for each rank of its communicator.
 *
 * Threads: slots are made in collective calls, one at a time for each communicator. Any thread frees them.
 */
#ifndef COLL_SHM_PERSISTENT_SLOT_H
#define COLL_SHM_PERSISTENT_SLOT_H

#include "coll/choice.h"
#include "coll/shm/mailbox.h"

/* Of a communicator. */
struct slot_pool {
    struct slot_slab *slab; /* the one that slots are cut from; NULL: none yet */
    _Atomic size_t bytes;   /* of all slabs that this rank still has; relaxed, it bounds memory */
    int skips;              /* calls that take messages without another try to make a slab */
    uint64_t made;          /* slots */
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
