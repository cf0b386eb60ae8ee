/* collective_check: collective calls on one communicator are the same on all ranks, in one order (MPI-5.0 section 6.14).
 *
 * The n-th collective of a communicator has an entry on the board. Each rank puts there what it calls, before the call, and
 * compares itself with those that have come before. The last one removes the entry. Both groups of an intercommunicator have one
 * entry, and what one group sends is compared with what the other receives (section 6.2.3). Where a refused argument is an error that the
 * program gets, a rank's call is compared once it is known to be none.
 */
#ifndef INSIGHT_CHECKS_COLLECTIVE_COLLECTIVE_CHECK_H
#define INSIGHT_CHECKS_COLLECTIVE_COLLECTIVE_CHECK_H

#include "insight/objects/comm_record.h"

#include <stdio.h>

/* A call that is collective on this communicator. */
void collective_check_enter(struct intercept *call, struct comm_record *comm);
/* ... or on an object with a number of its own, such as a window. */
void collective_check_enter_object(struct intercept *call, struct comm_record *comm, uint64_t number,
                                   uint64_t turn);
/* The library below has not refused the call: it has returned, or waits. */
void collective_check_accepted(struct intercept *call);
/* It is over: what its members knew when they entered it is known. */
void collective_check_learn(const struct intercept *call, const struct comm_record *comm);
/* It has returned; an error may say that it took no part. */
void collective_check_returned(struct intercept *call, int error);
/* A persistent collective starts for the n-th time: who has not come yet is awaited. Its starts have a number of their own. */
uint64_t collective_check_number_of_starts(uint64_t number, uint64_t made);
void collective_check_begin(struct intercept *call, const struct comm_record *comm, uint64_t number,
                            uint64_t turn);
/* A persistent collective starts on a communicator that asserts one order of starts. */
void collective_check_start(struct intercept *call, struct comm_record *comm, uint64_t made);
/* Whether ranks of two boards differ in what they call, and says so. */
struct far_call;
bool collective_check_far(const struct far_call *one, const struct far_call *two);
/* The ranks of MPI_COMM_WORLD that have not come yet to this collective, as a set of bits; how many. */
int collective_check_missing(const struct comm_record *comm, uint64_t number, uint64_t turn, uint64_t *set);
/* The same of the collective that a call is in. */
int collective_check_awaited(const struct intercept *call, uint64_t *set);

#endif
