/* rma: large messages that the receiver's provider reads from the sender's memory (FI_RMA), without a copy by
 * Inkling and without the sender's program.
 *
 * The sender exposes its buffer and sends the key in the first message of the transfer. Memory is registered
 * for each message; providers for which that is slow keep a cache of their own. Without FI_RMA, or with
 * inkling_ofi_rma false, nothing is exposed and nothing read.
 *
 * After the loss of a peer only closing the endpoint keeps a provider from writing to the receiver's buffer.
 * So reads have a channel of their own, opened for the first read. Closing it also ends reads from other
 * peers, which begin anew. The channel also keeps small messages from waiting behind large ones.
 */
#ifndef NET_OFI_RMA_H
#define NET_OFI_RMA_H

#include "net/ofi/ofi.h"

/* As in transport.h. */
struct window *rma_expose(const void *memory, size_t bytes, uint64_t *key);
void rma_conceal(struct window *window);
bool rma_begin(struct ofi_peer *from, void *to, uint64_t address, uint64_t key, size_t bytes,
               const struct message *done);

/* A part of a read has completed, with an MPI error class. */
void rma_finish(struct operation *operation, int error);
/* Whether parts are under way, whose completions come from fabric.rma. */
bool rma_are_under_way(void);
/* Continues reads that the provider had no room for. */
void rma_post(void);
/* A finished read: its message, and the process whose memory it read. False: none. */
bool rma_take(struct message *done, int *process);

/* The peer is lost: nothing more is read from it. */
void rma_lose(const struct ofi_peer *from);

/* Ends all reads without reporting them. */
void rma_close(void);

#endif
