/* rma: copies between memory here and memory of a peer that it has exposed, by the provider (FI_RMA), without a copy by
 * Inkling and, where the hardware does it, without the peer's program.
 *
 * Large messages: the sender exposes its buffer and sends the key in the first message of the transfer; the receiver
 * reads it. Memory is registered for each message; providers for which that is slow keep a cache of their own. With
 * inkling_ofi_rma false nothing is exposed for messages and none is read.
 *
 * Windows (win/win_network.h): their memory is exposed while they live, and read and written. That is for providers whose
 * device does it, by what libfabric reports: the provider makes progress by itself if nothing else is asked of it, which
 * a thread of its own could do, too, and wants memory registered for the device (FI_MR_ALLOCATED). Other providers emulate
 * it in software; there the target's agent is as good. The row inkling_win_rma overrules that. A write has completed
 * when it is in the target's memory (FI_DELIVERY_COMPLETE); a provider that cannot report that is not used for windows.
 *
 * A copy goes in parts, enough at a time to each peer to keep the network busy. A peer that makes no progress delays
 * its own copies only.
 *
 * A read of a message that fails is reported, and the message comes in pieces. A failed copy of a window makes the peer lost, as
 * a failed packet does.
 *
 * After the loss of a peer only closing the endpoint keeps a provider from writing to the buffer of a read. So copies have
 * a channel of their own, opened for the first. Closing it also ends those with other peers. Reads begin anew. Writes that
 * were under way fail: the rest of the first attempt could arrive from the network after the second has completed, over
 * what others have written since. The channel also keeps small messages from waiting behind large ones.
 */
#ifndef NET_OFI_RMA_H
#define NET_OFI_RMA_H

#include "net/ofi/ofi.h"

/* As in transport.h. */
struct memory_region *rma_expose(const void *memory, size_t bytes, enum exposure exposure,
                                 struct exposed *exposed);
void rma_conceal(struct memory_region *mr);

/* A read or write of transport.h. */
bool rma_begin(const struct network_copy *copy);

/* A part of a copy has completed, or failed. */
void rma_finish(struct operation *operation);
void rma_fail(struct operation *operation, const char *why);
/* Whether parts are under way, whose completions come from fabric.rma. */
bool rma_are_under_way(void);
/* Continues copies that the provider had no room for. */
void rma_post(void);
/* A finished copy: its message, and the process whose memory it was about. False: none. */
bool rma_take(struct message *done, int *process);

/* A peer is there, of which nothing is copied yet. */
void rma_meet(struct ofi_peer *peer);
/* The peer is lost: nothing more is copied. */
void rma_lose(const struct ofi_peer *peer);

/* Ends all copies without reporting them. */
void rma_close(void);

#endif
