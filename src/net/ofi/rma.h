/* rma: large messages, which the receiver's provider reads out of their sender's memory (FI_RMA), without
 * a copy of ours and without the sender's program.
 *
 * The sender exposes its buffer, and the key travels in its offer. Memory is registered for each message:
 * providers for which that is slow keep a cache of their own. Where a provider has no FI_RMA, or
 * inkling_ofi_rma is false, nothing is exposed and nothing read.
 *
 * A provider goes on writing to the receiver's buffer when the peer is lost, but for one thing: its endpoint
 * is closed. So reads have a channel of their own, opened when there is one to make. What other peers' reads
 * it had under way begins anew. (Nor do small messages wait behind large ones then.)
 */
#ifndef NET_OFI_RMA_H
#define NET_OFI_RMA_H

#include "net/ofi/ofi.h"

/* As transport.h has them. */
struct window *rma_expose(const void *memory, size_t bytes, uint64_t *key);
void rma_conceal(struct window *window);
bool rma_begin(const struct ofi_peer *from, void *to, uint64_t address, uint64_t key, size_t bytes,
               const struct message *done);

/* A part of a read is done, with an MPI error class. */
void rma_finish(struct operation *operation, int error);
/* Whether parts are under way, whose ends are told by fabric.reads. */
bool rma_are_under_way(void);
/* Goes on with reads that the provider had no room for. */
void rma_post(void);
/* A read that has come to an end: its message and whose memory it was. False: none. */
bool rma_take(struct message *done, int *process);

/* This peer is lost: nothing of its comes any more. */
void rma_lose(const struct ofi_peer *from);

/* What is under way ends untold. */
void rma_close(void);

#endif
