/* promise: what the program has asserted about its receives on a communicator, kept (MPI-5.0 section 7.4.4).
 *
 * A receive or probe with a wildcard that mpi_assert_no_any_source or _no_any_tag rules out is refused when
 * it is called: MPI_ERR_RANK, MPI_ERR_TAG. With mpi_assert_exact_length in force when a receive is posted, a
 * message shorter than its buffer is an error like one that is longer: MPI_ERR_TRUNCATE. The notes name the
 * hint and the call that set it. All of it is about point-to-point messages only. Messages
 * between the ranks of a collective are always exact: a rank that has failed sends empty ones.
 */
#ifndef P2P_PROMISE_H
#define P2P_PROMISE_H

#include "p2p/p2p.h"

/* promise_check's slow part: source or tag is a wildcard. */
int promise_check_wildcards(struct comm *comm, int source, int tag) __attribute__((cold));

/* Whether comm allows what a receive or probe asks for. */
static inline int promise_check(struct comm *comm, int source, int tag)
{
    if (source != MPI_ANY_SOURCE && tag != MPI_ANY_TAG)
        return MPI_SUCCESS;
    return promise_check_wildcards(comm, source, tag);
}

/* Whether a receive that is posted now takes messages of exactly its length only. */
static inline bool promise_is_exact(const struct comm *comm, enum plane plane)
{
    return plane == PLANE_COLL || (plane == PLANE_P2P && hint_value(&comm->hints, HINT_EXACT_LENGTH));
}

/* The error of a receive of `room` bytes that promised to be exact, for a message of `sent` bytes. */
int promise_fail_length(struct comm *comm, enum plane plane, int source, int tag, size_t sent, size_t room)
    __attribute__((cold));

#endif
