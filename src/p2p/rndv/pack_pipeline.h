/* pack_pipeline: messages of items with gaps, between processes that share memory. The sender packs into memory
 * that both see while the receiver unpacks from it, so both cores work at once and each byte is touched twice.
 *
 * A pipeline is a block of the sender's heap (memory/heap.h): two counters and a circular buffer. One message
 * uses it at a time. The message's RTS names it, and the sender begins to fill it without waiting for an answer.
 * The receiver, once matched, empties it. A send is over when the whole message has been packed. The pipeline is
 * free again when the receiver says that it has all that it wants. There are few pipelines. A send that finds
 * none free is packed as a whole and sent as bytes (send.c, send_packed).
 *
 * Lock: that of the lane, which has pipelines of its own. The counters in shared memory have one writer each,
 * and their orders beside them.
 */
#ifndef P2P_RNDV_PACK_PIPELINE_H
#define P2P_RNDV_PACK_PIPELINE_H

#include "p2p/transfer.h"

/* Sender: begins to send `bytes` bytes of items. *request stays NULL when no pipeline is free. */
int pack_pipeline_isend(const void *buf, size_t bytes, struct datatype *type, const struct envelope *e,
                        enum send_mode mode, struct request **request);
/* Sender: true: the receiver will not take the message any more, and the pipeline is free. */
bool pack_pipeline_withdraw(struct transfer *t);
/* Receiver: the word that is the message's claim (claim.h); NULL if there is no such pipeline. */
_Atomic uint64_t *pack_pipeline_claim(struct peer *peer, uint64_t address);

/* Goes on with what was begun; returns how many steps it made. */
int pack_pipeline_poll(struct lane *lane);
/* This peer is lost: what is under way with it ends with this error. */
void pack_pipeline_lose(const struct peer *peer, int error);

#endif
