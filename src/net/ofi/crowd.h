/* crowd: strangers that connect, say nothing and stay, until this process has no descriptors left for its peers.
 *
 * Everybody may connect to libfabric's listeners, and which of the connections are peers' the provider does not tell.
 * But who connects speaks first, in each of its protocols. So when three quarters of the descriptors are in use, the
 * connections end by which not a byte has come for a while (sever.h). A peer's may be among them, that of a program
 * which has computed since its send; it connects again, and nothing is lost. Once a byte has come that is not so, since
 * a message may be on its way.
 *
 * Threads: the waker's (waker.h) looks, whoever polls disperses.
 */
#ifndef NET_OFI_CROWD_H
#define NET_OFI_CROWD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether three quarters of the descriptors are in use. */
bool crowd_is_heavy(void);

/* For the thread. Returns milliseconds until the next look, at most some seconds. *wake: somebody should poll, since
 * there is a crowd. */
int crowd_look(bool *wake);

/* Whether there was a crowd at the last look; costs one load. Then whoever has polled ends silent connections to all of
 * libfabric's endpoints that are open. With the lock of ofi.h. */
bool crowd_is_there(void);
void crowd_disperse(void);

/* What to make of libfabric's code for an operation with a peer. That no descriptor is free for a connection means to
 * try again (-FI_EAGAIN), for inkling_peer_timeout in all. *since: the peer's; 0 at first. */
ssize_t crowd_excuse(ssize_t code, uint64_t *since);

#endif
