/* reach: large collectives of ranks of one host, straight between their buffers.
 *
 * The ranks tell each other where their buffers are, in one operation through slots.h. Then each takes what
 * it wants out of the others' buffers, or combines its piece of their vectors, portion by portion, and stores
 * it where it is wanted. In a second operation they wait for each other, so that nobody leaves while his
 * buffers are in use. Two synchronizations in all: no messages, no matching, few wake-ups where ranks
 * outnumber cores.
 *
 * The owner of a buffer names the way to it. Memory of MPI_Alloc_mem is mapped by the others and used in
 * place where mpi_assert_memory_alloc_kinds says that all is such memory; any other is read and written by
 * the transport (transport.h: get and put), which takes the system's permission. What nobody could reach,
 * items with gaps, memory of a device, memory that the system protects, its owner copies to memory that is
 * mapped; so does one whose result may not take its place yet, since others still read there. Whether one of
 * the two ways is open between all ranks is found out when their stations are made: all take the same.
 *
 * Large buffers are gone through forwards and backwards in turn: what the call before has left in the cache
 * is at the end where this one begins.
 */
#ifndef COLL_REACH_H
#define COLL_REACH_H

#include "coll/slots.h"

/* The stations through which the ranks tell each other where the buffers of this call are, which is then
 * one of these; NULL: it takes another way. All ranks get the same answer. */
struct slots *reach_for(struct comm *comm, enum form form, struct slot_call *call);

/* What slot.c does for such a call. Writes what this rank tells to `line`; */
int reach_tell(struct slot_call *call, void *line);
/* all have told: this rank does its part; */
int reach_work(struct slot_call *call);
/* it is over. */
void reach_end(struct slot_call *call);

#endif
