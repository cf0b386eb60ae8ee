/* buffering_check: programs that end only because small messages are buffered (MPI-5.0 section 3.5: unsafe ones).
 *
 * Each rank writes down its first sends, receives and blocking collectives. When all have ended, they are gone through again as if every
 * send waited for its receive, and every collective for all ranks. If that comes to no end, some send needs a buffer,
 * or some collective call must return on one rank before another has come to it. Who received
 * what is taken as it was, so nothing is said of jobs in which it might have been otherwise: with wildcards, or calls that look and
 * go on. What else makes ranks wait is left out, which only lets them go on.
 */
#ifndef INSIGHT_CHECKS_MESSAGE_BUFFERING_CHECK_H
#define INSIGHT_CHECKS_MESSAGE_BUFFERING_CHECK_H

#include "insight/call/intercept.h"

extern bool buffering_check_is_over; /* the first events are all written down: these functions do nothing */
void buffering_check_sending_early(const struct intercept *call, int to, uint64_t n);
void buffering_check_sent_early(const struct intercept *call, const struct procedure *sender, int to,
                                uint64_t n);
int buffering_check_posted_early(const struct intercept *call);

/* A send begins: the message to that rank of MPI_COMM_WORLD with the number n. */
static inline void buffering_check_sending(const struct intercept *call, int to, uint64_t n)
{
    if (!buffering_check_is_over)
        buffering_check_sending_early(call, to, n);
}

/* The program could not go on before it was complete. */
static inline void buffering_check_sent(const struct intercept *call, const struct procedure *sender, int to,
                                        uint64_t n)
{
    if (!buffering_check_is_over)
        buffering_check_sent_early(call, sender, to, n);
}

/* A receive is posted; a number for the other two, 0: none. */
static inline int buffering_check_posted(const struct intercept *call)
{
    return buffering_check_is_over ? 0 : buffering_check_posted_early(call);
}

void buffering_check_matched(int posted, int from, uint64_t n);
/* The program could not go on before it was complete. */
void buffering_check_received(const struct intercept *call, int posted);
/* The same of a blocking collective. */
void buffering_check_met(const struct intercept *call, uint64_t number, uint64_t turn, int members);
/* What happens may depend on what has come, so that nothing can be said. */
void buffering_check_give_up(void);
/* This rank's messages are known; the last one says what is found. */
void buffering_check_end(void);

#endif
