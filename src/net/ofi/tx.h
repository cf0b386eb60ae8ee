/* tx: sends packets. A small one is injected. Any other is copied into a slot, which is free again when the
 * provider reports that the packet has left. */
#ifndef NET_OFI_TX_H
#define NET_OFI_TX_H

#include "net/ofi/ofi.h"

int tx_open(void);
void tx_close(void);

/* False: no room now, or the peer is lost. */
bool tx_send(struct ofi_peer *to, const struct wire *head, const void *payload);
/* The packet of this operation has left; tx_fail: it never will, and its peer is lost. */
void tx_finish(struct operation *operation);
void tx_fail(struct operation *operation, const char *why);
/* The peer is lost: its packets no longer count as pending. */
void tx_lose(struct ofi_peer *to);
/* Whether packets have not left yet. */
bool tx_are_pending(void);

#endif
