/* reach: large collectives of ranks of one host that reach each other's buffers, in place.
 *
 * The ranks tell each other where their buffers are, in a collective through slots.h. If every rank has its
 * buffers in memory that the others map (MPI_Alloc_mem), and asserts as much for the communicator
 * (mpi_assert_memory_alloc_kinds names mpi alone), each reads its peers' vectors where they are, combines its
 * piece of them, and stores it where it is wanted: no message, no copy in between, no system call. A last
 * collective through slots keeps the buffers in place until nobody looks at them any more.
 *
 * If one rank says no, all know it, take another way, and do not ask again for a while.
 */
#ifndef COLL_REACH_H
#define COLL_REACH_H

#include "coll/slots.h"

/* Does a blocking call in place, true, with its error; false: it must go another way. All ranks get the same
 * answer. */
bool reach_do(struct comm *comm, enum form form, struct slot_call call, int *error);

#endif
