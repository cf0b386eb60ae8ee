/* tcp_listener: the listening TCP socket of a port, for other hosts, and its unverified callers, which have
 * connected but not yet proved that they know the port's secret (port_seal.h).
 *
 * The first word of a caller begins with the port's tag. Who sends something else is disconnected at once. A silent caller keeps its
 * slot for a while. Strangers may come faster than slots get free:
 *   - If all slots are taken, the caller that has been silent for longest leaves its slot to the next one.
 *   - Once some dozens have come within a second, the kernel answers only callers whose first packet has the tag, or who have taken
 *     one of the source ports that follow from it (plain/socket.h), for a while. A crowd then costs nothing, however
 *     large it is and from wherever it comes.
 * Some systems have no such filters. There the first rule alone helps, so callers try again and again (port.h). Who has sent the tag keeps its slot. While
 * those have all slots nobody else is accepted, and callers wait in the kernel's queue. Nobody is disconnected before what it
 * has sent is read.
 *
 * Lock: its port's.
 */
#ifndef PLAIN_TCP_LISTENER_H
#define PLAIN_TCP_LISTENER_H

#include "plain/port.h"
#include "plain/port_seal.h"

#include <stdbool.h>

enum {
    TCP_LISTENER_CALLERS = 128
};

struct unverified_caller {
    int fd;            /* -1: a free slot */
    uint64_t since;    /* when it was accepted, or answered */
    bool is_answered;  /* its first word has come, and the listener's answer has left */
    unsigned received; /* bytes of the first word, and then of the proof */
    unsigned char call[PORT_CALL_SIZE];
    struct port_auth auth;
    unsigned char last[KEYED_HASH_SIZE];
    struct port_seal seal; /* once that holds */
};

struct tcp_listener {
    int listener;      /* -1: closed */
    bool is_accepting; /* epoll tells of new callers */
    uint64_t tag;      /* of callers of this port; worked out when the first one comes */
    bool has_tag;
    int strangers; /* that were dropped without the tag */
    uint64_t counted_since;
    uint64_t filter_until; /* only who has the tag is answered; 0: there is no filter */
    struct unverified_caller caller[TCP_LISTENER_CALLERS];
};

/* Opens the socket and adds to the name what callers need. Without a network on this host the name gets no
 * addresses and the listener stays closed; interface: the name gets the addresses of this one alone, or of all (NULL, "").
 * events: the epoll on which the port waits; events of the listener
 * and its callers have `event` as their data. */
int tcp_listener_open(struct tcp_listener *tcp, struct port_name *name, int events, uint32_t event,
                      const char *interface);
void tcp_listener_close(struct tcp_listener *tcp);

/* The connection of a caller that has proved itself, now the caller's to close, and its seal; -1: none so far.
 * Does not block. Called after each event, and now and then without one, so that silent callers go. */
int tcp_listener_look(struct tcp_listener *tcp, const struct port_name *name, int events, uint32_t event,
                      struct port_seal *seal);

/* Set on both ends of a connection between hosts: a cut network is an error within this time, though nobody sends anything. */
void tcp_listener_limit_silence(int fd, uint64_t timeout_ns);

#endif
