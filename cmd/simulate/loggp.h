/* loggp: what a network and a host cost, as LogGP has it (latency, overhead, gap, gap a byte), of two kinds of messages.
 *
 * near: between ranks of a host; the receiver's core copies the bytes. far: between hosts; each host has one network interface, which
 * sends one message at a time and takes in one at a time, so ranks of a host wait for each other there. Messages above `eager` bytes
 * begin when sender and receiver both have come, and take two latencies more. Seconds, and seconds a byte.
 *
 * The parameters come from the "model" of a file of rules (hint/coll_rules.h), which inkling tune measures, or are the ones below.
 */
#ifndef CMD_SIMULATE_LOGGP_H
#define CMD_SIMULATE_LOGGP_H

#include <stdbool.h>

struct link_model {
    double latency, overhead, gap, byte;
    double eager; /* bytes */
};

struct loggp {
    struct link_model near, far;
    double copy, reduce; /* a byte that a core copies, or combines */
    double step;         /* any step of a schedule besides */
    bool is_measured;    /* it comes from a file ... */
    char source[256];    /* ... of this name */
};

/* The network that nobody has measured: 100 Gbit/s, a microsecond. */
struct loggp loggp_given(void);
/* From the "model" of a file. The note says what is wrong. */
int loggp_read(const char *path, struct loggp *model);

#endif
