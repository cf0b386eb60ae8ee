/* count: what one algorithm costs on a pretended world: messages, bytes and time. */
#ifndef CMD_SIMULATE_COUNT_H
#define CMD_SIMULATE_COUNT_H

#include "cmd/simulate/loggp.h"
#include "cmd/simulate/pretend.h"

#include <stdbool.h>
#include <stdint.h>

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

#endif
