/* heartbeat: whether the processes on other hosts are still there.
 *
 * A network may fail silently: the kernel holds what was sent before, and a receive simply waits. So the
 * thread of waker.c sends questions to each connected peer by datagrams (UDP, on the address that libfabric's
 * provider uses). The peer's thread answers, whatever its program is doing. A peer that leaves BEATS
 * questions in a row unanswered, inkling_peer_timeout in all, is lost. Providers without IP addresses have no
 * heartbeat.
 *
 * Threads: one mutex guards everything. Bytes from the network are untrusted: datagrams that do not prove who
 * sent them (proof.h) are dropped.
 */
#ifndef NET_OFI_HEARTBEAT_H
#define NET_OFI_HEARTBEAT_H

#include "net/ofi/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* mine: this process's address, as libfabric's provider gives it, and its key; stays valid. */
int heartbeat_open(const struct wire_address *mine);
void heartbeat_close(void);

/* The port to publish, and the descriptor to poll; 0 and -1 without a heartbeat. */
int heartbeat_port(void);
int heartbeat_fd(void);

/* The peer with this address and port is asked from now on. job, rank: as on its card. */
int heartbeat_add(int process, uint64_t job, int rank, const struct wire_address *address);
/* An operation with this process has failed: marks it as lost. */
void heartbeat_lose(int process, const char *why);

/* For the thread. heartbeat_hear handles what has arrived. heartbeat_send asks when it is time; it returns
 * milliseconds until the next time (-1: never), and whether a peer was lost. */
void heartbeat_hear(void);
int heartbeat_send(bool *lost);

/* A lost process that was not reported yet, and the reason; -1: none. Costs one load when there is none. */
int heartbeat_take_lost(char *why, size_t size);

#endif
