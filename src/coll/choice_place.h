/* choice_place: what a choice of an algorithm looks at besides the call: how many ranks and hosts, and which rules. */
#ifndef COLL_CHOICE_PLACE_H
#define COLL_CHOICE_PLACE_H

#include "coll/choice.h"
#include "comm/comm.h"

/* Of the calls on comm, an intracommunicator or the whole of an intercommunicator; h: of the call. The same on all ranks. */
struct choice_place choice_place_of(struct comm *comm, const struct hints *h);
/* Has the ranks of a world of several hosts agree on their rules, at the first call of it that may wait. Until then the built-in
 * ones are in force on it. may_wait: the same on all ranks. */
void choice_place_agree(struct comm *comm, bool may_wait);

#endif
