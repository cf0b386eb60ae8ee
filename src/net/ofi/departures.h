/* departures: packets on their way out. A small one is injected and forgotten; any other is copied into a
 * slot, which the provider gives back when the packet has left. */
#ifndef NET_OFI_DEPARTURES_H
#define NET_OFI_DEPARTURES_H

#include "net/ofi/ofi.h"

int departures_open(void);
void departures_close(void);

/* False: no room now. */
bool departures_send(struct link_to *to, const struct wire *head, const void *payload);
/* The packet of this operation has left; or never will: then its peer is lost. */
void departures_finish(struct operation *operation);
void departures_fail(struct operation *operation, const char *why);
/* This peer is lost: every send to it fails, and nobody waits for what is on its way there. */
void departures_lose(struct link_to *to);
/* Whether packets are still on their way out. */
bool departures_are_pending(void);

#endif
