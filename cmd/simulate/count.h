/* count: what one algorithm costs on a pretended world: messages, bytes and time. */
#ifndef CMD_SIMULATE_COUNT_H
#define CMD_SIMULATE_COUNT_H

#include "cmd/simulate/pretend.h"
#include "cmd/simulate/step_store.h"

#include <stdbool.h>
#include <stdint.h>

/* loggp: what a network and a host cost, as LogGP has it (latency, overhead, gap, gap a byte), of two kinds of messages.
 *
 * near: between ranks of a host; the receiver's core copies the bytes. far: between hosts; each host has one network interface, which
 * sends one message at a time and takes in one at a time, so ranks of a host wait for each other there. Messages above `eager` bytes
 * begin when sender and receiver both have come, and take two latencies more. Seconds, and seconds a byte.
 *
 * The parameters come from the "model" of a file of rules (hint/coll_rules.h), which inkling tune measures, or are the ones below.
 */

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

struct call_cost {
    uint64_t rank_messages, rank_bytes; /* of the rank that sends and receives most */
    uint64_t sent_most;                 /* messages that one rank sends */
    uint64_t host_messages, host_bytes; /* through the busiest interface, in the direction that has more */
    uint64_t all_messages, all_bytes;   /* that all ranks send; of a sample: 0 */
    double seconds;                     /* below 0: unknown */
    bool
        is_sample; /* of some hosts alone, since all schedules are too long; the time is then that of the busiest rank or interface,
                       which nobody waits for */
};

/* Of a call that pretend_is_possible. False: its buffers need more memory than this machine has. */
bool count_cost(struct pretended *world, const struct pretended_call *call, const struct loggp *model,
                struct call_cost *cost);
/* No algorithm takes less: the way of one byte to or from all, or what must go through one interface or core. */
double count_bound(const struct pretended *world, const struct pretended_call *call,
                   const struct loggp *model);

/* replay: runs the schedules of all ranks over a model, event by event.
 *
 * Each rank has a clock. It takes its steps in order; a wait ends when all that was started before it has. The ranks go on in the order
 * of their clocks, so that the interface of a host is given to those who come first. Between two ranks messages are matched in order.
 */

/* Seconds until the last rank ends; below 0: there is no memory, or ranks wait for each other. */
double replay(const struct pretended *world, const struct step_store *store, const struct loggp *model);

#endif
