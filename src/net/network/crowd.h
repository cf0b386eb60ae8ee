/* crowd: strangers that connect, say nothing and stay, until this process has no descriptors left for its peers.
 *
 * Everybody may connect to a network's listeners, and it does not show which of the connections are peers'.
 * But in each of the protocols the side that connects speaks first. So when three quarters of the descriptors are in use,
 * this process ends the connections that have carried no byte for a while (sever.h). A peer's connection may be among
 * them, if its program has computed since its send; it connects again, and nothing is lost. A connection that has carried
 * a byte stays, since a message may be on its way.
 *
 * Threads: the waker's thread (waker.h) looks, and any thread that polls disperses.
 */
#ifndef NET_NETWORK_CROWD_H
#define NET_NETWORK_CROWD_H

#include <stdbool.h>
#include <stdint.h>

/* Lets this process have more descriptors, if it may: each connection takes one. */
void crowd_make_room(void);
/* Whether three quarters of the descriptors are in use. */
bool crowd_is_heavy(void);

/* For the thread. Returns milliseconds until the next look, at most some seconds. *wake: a thread should poll, since
 * there is a crowd. */
int crowd_look(bool *wake);

/* Whether there was a crowd at the last look; costs one load. The second: has the network end silent connections
 * (network.h: end_silent), after a poll, with its lock. */
bool crowd_is_there(void);
void crowd_disperse(int (*end_silent)(unsigned ms, int most));

#endif
