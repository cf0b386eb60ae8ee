/* tx: packets on their way out. A small one is injected and forgotten; any other is copied into a
 * slot, which the provider gives back when the packet has left. */
#ifndef NET_OFI_TX_H
#define NET_OFI_TX_H

#include "net/ofi/ofi.h"

int tx_open(void);
void tx_close(void);

/* False: no room now. */
bool tx_send(struct ofi_peer *to, const struct wire *head, const void *payload);
/* The packet of this operation has left; or never will: then its peer is lost. */
void tx_finish(struct operation *operation);
void tx_fail(struct operation *operation, const char *why);
/* This peer is lost: every send to it fails, and nobody waits for what is on its way there. */
void tx_lose(struct ofi_peer *to);
/* Whether packets are still on their way out. */
bool tx_are_pending(void);

#endif
