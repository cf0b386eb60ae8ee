/* check: the comparisons of entry points, on their hot path. check.c makes the same checks and says in words
 * what is wrong. */
#ifndef API_CHECK_H
#define API_CHECK_H

#include "base/counts.h"
#include "comm/comm.h"
#include "datatype/datatype.h"
#include "runtime/model.h"

/* Whether it is between the first MPI_Init or MPI_Session_init and the last MPI_Finalize or
 * MPI_Session_finalize. */
static inline bool check_is_up(void)
{
    return model_is_open();
}

static inline bool check_is_dest(int rank, const struct comm *comm)
{
    return (unsigned)rank < (unsigned)comm_peer_count(comm) || rank == MPI_PROC_NULL;
}

static inline bool check_is_source(int rank, const struct comm *comm)
{
    return check_is_dest(rank, comm) || rank == MPI_ANY_SOURCE;
}

static inline bool check_is_root(int root, const struct comm *comm)
{
    return (unsigned)root < (unsigned)comm_peer_count(comm) ||
           (comm_is_inter(comm) && (root == MPI_ROOT || root == MPI_PROC_NULL));
}

static inline bool check_is_at_root(int root, const struct comm *comm)
{
    return comm_is_inter(comm) ? root == MPI_ROOT : root == comm->rank;
}

/* The type that replaces MPI_DATATYPE_NULL where there are no items. */
struct datatype *check_none_type(struct datatype *type);

/* NULL or MPI_IN_PLACE, which may be wrong; check.c decides. */
static inline bool check_is_odd_buffer(const void *buffer)
{
    return (uintptr_t)buffer <= 1;
}

/* Whether arrays of one element per rank are right for a collective on comm. On an intercommunicator the
 * ranks are those of the remote group, for own counts those of the local group. */
bool check_are_counts(struct counts counts, const struct comm *comm);
bool check_are_own_counts(struct counts counts, const struct comm *comm);
bool check_are_types(const MPI_Datatype *types, const struct comm *comm);

/* buffer_overlap: whether a collective would write what it reads, when both buffers begin at the same
 * address.
 *
 * The standard forbids that the buffers share bytes. It does not forbid that they share an address:
 * displacements or types with gaps may select different parts of one array. Only cheap checks are made. The
 * call runs unless they prove an overlap.
 */

/* One buffer: one part for each of several ranks, or a single part. */
struct overlap_side {
    int parts;
    MPI_Count each;               /* the single part: items */
    struct counts counts, displs; /* several parts: items of each, and displacements in items */
    const struct datatype *type;
    const MPI_Datatype *types; /* each part's own type, displacements in bytes; NULL: all have `type` */
};

/* Whether the two certainly have a byte in common. */
bool buffer_overlap_is_certain(const struct overlap_side *a, const struct overlap_side *b);

#endif
