/* heartbeat: whether the processes on other hosts are still there.
 *
 * A network may fail silently: the kernel holds what was sent before, and a receive simply waits. So the
 * thread of waker.c sends questions to each connected peer by datagrams (UDP, on the address that libfabric's
 * provider uses). The peer's thread answers, whatever its program is doing. A peer that leaves BEATS
 * questions in a row unanswered, inkling_peer_timeout in all, is lost, unless packets of it arrive meanwhile.
 * Providers without IP addresses have no heartbeat.
 *
 * In a job that survives deaths peers are asked more often. When one has died its host says so (ICMP), and it is lost. A process of
 * this job that was silent for too long, and asks when this one has lost it, is told so and ends: it is dead to all.
 *
 * A question also says how many packets its sender has sent to the peer. A connection may be cut while both live,
 * and providers do not report what was lost with it. If packets follow, proof.h shows the gap. If none do, the
 * peer sees that fewer have arrived, question after question, though both processes poll: then packets were lost.
 *
 * Bytes from the network are untrusted: datagrams that do not prove who sent them (proof.h) are dropped. Strangers may
 * send more of them than a process can read. So each begins with the receiver's *verification tag*, as in SCTP: a hash
 * of its key, by which the kernel drops what strangers send (socket.h). A question carries the sender's tag, for
 * the answer.
 *
 * Threads: one mutex guards everything.
 */
#ifndef NET_NETWORK_HEARTBEAT_H
#define NET_NETWORK_HEARTBEAT_H

#include "net/network/wire.h"

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

/* For the thread. heartbeat_receive handles what has arrived, or a part of it, and returns whether a thread that sleeps should look.
 * heartbeat_send asks when it is time. It returns milliseconds until the next time (-1: never), and whether a thread that
 * sleeps should look: a peer was lost, or packets are to be counted. */
bool heartbeat_receive(void);
int heartbeat_send(bool *wake);

/* Whether a question has gone out since the last heartbeat_count; costs one load. Then a thread that has polled and
 * found nothing calls heartbeat_count; `look` gives how many packets were sent to a process, and came from it. */
bool heartbeat_wants_count(void);
void heartbeat_count(void (*look)(int process, uint64_t *sent, uint64_t *received));

/* A lost process that was not reported yet, and the reason; -1: none. Costs one load when there is none. */
int heartbeat_take_lost(char *why, size_t size);

#endif
