/* check: the compares of entry points, on their hot path; src/api/check.c says the same in words. */
#ifndef API_CHECK_H
#define API_CHECK_H

#include "base/counts.h"
#include "comm/comm.h"
#include "datatype/datatype.h"
#include "runtime/model.h"

/* Between the first MPI_Init or MPI_Session_init and the last MPI_Finalize or MPI_Session_finalize. */
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

/* What stands for MPI_DATATYPE_NULL where there are no items. */
struct datatype *check_none_type(struct datatype *type);

/* NULL or MPI_IN_PLACE: may be wrong, see check.c. */
static inline bool check_is_odd_buffer(const void *buffer)
{
    return (uintptr_t)buffer <= 1;
}

/* Arrays of one element per rank of a collective on comm; of the remote group on an intercommunicator, but
 * for own counts. */
bool check_are_counts(struct counts counts, const struct comm *comm);
bool check_are_own_counts(struct counts counts, const struct comm *comm);
bool check_are_types(const MPI_Datatype *types, const struct comm *comm);

#endif
