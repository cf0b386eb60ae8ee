/* mitigate: what User-Level Failure Mitigation proposes for communicators, but for what needs an agreement (making/survive.h).
 *
 * Revoking. Who revokes a communicator, and who hears of it first, tells all members. So all who live learn of it, whoever dies meanwhile.
 * A revoked communicator has no peers: the process number of each rank is net_nobody(), whose peer is lost. So sends, receives and what is
 * made of them fail where they fail for a lost peer, and nobody looks at a communicator for that. It has left the table of contexts, so messages
 * for it are dropped (match.c).
 *
 * Lock: lane 0, the only one there is then.
 */
#ifndef P2P_MITIGATE_H
#define P2P_MITIGATE_H

#include "comm/comm.h"

/* A member has revoked the communicator of this context. The caller holds the lane. */
void mitigate_on_revoke(uint64_t context);

/* Opens a communicator (comm_open) that is made; one that a member has revoked already is revoked here too. The caller holds no lane. */
void mitigate_open(struct comm *comm, uint64_t context);

/* Bodies of MPIX_Comm_X. */
int mitigate_get(struct comm *comm, struct group **group);
int mitigate_get_acked(struct comm *comm, struct group **group);
int mitigate_ack_some(struct comm *comm, int count, int *acked);
int mitigate_ack_all(struct comm *comm);
int mitigate_revoke(struct comm *comm);
int mitigate_is_revoked(struct comm *comm, int *flag);

#endif
