/* controls: the control packets of this network, which its peers' copies take: questions, answers, keys (reads.h, rma.h).
 * One that finds no room waits here. */
#ifndef NET_UCX_CONTROLS_H
#define NET_UCX_CONTROLS_H

#include "net/ucx/ucx_peer.h"

enum control_kind {
    READ_ASKED = 1, /* reads.h */
    READ_REFUSED,
    KEY_ASKED, /* rma.h */
    KEY_TOLD,
    KEY_ENDED
};

/* Nothing is sent to a lost peer. Without memory for one that must wait, the peer is lost. */
void controls_send(struct ucx_peer *to, enum control_kind kind, const void *payload, size_t bytes);
/* Sends those that wait, where there is room now. */
void controls_post(void);
void controls_close(void);

#endif
