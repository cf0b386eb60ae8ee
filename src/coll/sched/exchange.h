/* exchange: what ranks agree on before they share memory, by messages alone. All ranks of comm call these.
 * Rank 0 gathers and answers, along binomial trees. */
#ifndef COLL_SCHED_EXCHANGE_H
#define COLL_SCHED_EXCHANGE_H

#include "coll/sched/schedule.h"

#include <stddef.h>
#include <stdint.h>

/* Each word becomes the bitwise AND over all ranks. No words: a barrier. */
int exchange_and(struct comm *comm, uint64_t *word, size_t words);
/* The same in each of some teams, which all ranks of comm are in and which take part at the same time. */
int exchange_and_in(struct comm *comm, struct schedule_team team, uint64_t *word, size_t words);
/* In each of the teams: `bytes` bytes of each rank, in rank order, to `all` on every rank. */
int exchange_bytes_in(struct comm *comm, struct schedule_team team, const void *mine, void *all,
                      size_t bytes);

#endif
