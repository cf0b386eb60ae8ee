/* assert_check: holds the program to the assertions that it made about its receives (MPI-5.0 section 7.4.4).
 *
 * mpi_assert_no_any_source and mpi_assert_no_any_tag: a receive or probe with that wildcard fails when it is
 * called, with MPI_ERR_RANK or MPI_ERR_TAG. mpi_assert_exact_length: a message shorter than its receive is an
 * error like a longer one, MPI_ERR_TRUNCATE; what was in force when the receive was posted counts. The error
 * names the hint and the call that set it. The assertions are about point-to-point messages only. Messages
 * between the ranks of a collective are always exact: a rank that failed sends empty ones.
 */
#ifndef P2P_ASSERT_CHECK_H
#define P2P_ASSERT_CHECK_H

#include "p2p/p2p.h"

/* assert_check's slow part: source or tag is a wildcard. */
int assert_check_wildcards(struct comm *comm, int source, int tag) __attribute__((cold));

/* Whether comm allows what a receive or probe asks for. */
static inline int assert_check(struct comm *comm, int source, int tag)
{
    if (source != MPI_ANY_SOURCE && tag != MPI_ANY_TAG)
        return MPI_SUCCESS;
    return assert_check_wildcards(comm, source, tag);
}

/* Whether a receive that is posted now takes messages of exactly its length only. */
static inline bool assert_check_is_exact(const struct comm *comm, enum plane plane)
{
    return plane == PLANE_COLL || (plane == PLANE_P2P && hint_value(&comm->hints, HINT_EXACT_LENGTH));
}

/* The error of an exact receive of `room` bytes that got a message of `sent` bytes. */
int assert_check_fail_length(struct comm *comm, enum plane plane, int source, int tag, size_t sent,
                             size_t room) __attribute__((cold));

#endif
