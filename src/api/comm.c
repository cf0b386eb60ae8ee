#include "api/comm.h"

#include "api/handle.h"
#include "base/fail.h"
#include "comm/make/from_group.h"
#include "comm/make/intercomm.h"
#include "comm/make/make.h"
#include "dynamic/connect.h"

#include <string.h>

int api_comm_size(const struct comm *comm, int *size)
{
    *size = comm->size;
    return MPI_SUCCESS;
}

int api_comm_rank(const struct comm *comm, int *rank)
{
    *rank = comm->rank;
    return MPI_SUCCESS;
}

int api_comm_test_inter(const struct comm *comm, int *flag)
{
    *flag = comm_is_inter(comm);
    return MPI_SUCCESS;
}

int api_comm_remote_size(const struct comm *comm, int *size)
{
    if (!comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "an intracommunicator has no remote group");
    *size = comm->remote->size;
    return MPI_SUCCESS;
}

int api_comm_compare(const struct comm *a, const struct comm *b, int *result)
{
    *result = comm_compare(a, b);
    return MPI_SUCCESS;
}

int api_comm_get_name(MPI_Comm comm, char *name, int *length)
{
    static const char null_name[] = "MPI_COMM_NULL";
    struct comm *c = handle_find_comm(comm);

    if (c)
        return comm_get_name(c, name, length);
    if (comm != MPI_COMM_NULL)
        return fail(MPI_ERR_COMM, "comm is no communicator, or one that has been freed");
    memcpy(name, null_name, sizeof null_name);
    *length = (int)sizeof null_name - 1;
    return MPI_SUCCESS;
}

/* The leader's own arguments. A leader that cannot reach the other one has no peer. */
static int check_leader(const struct bridge *b, const struct comm *peer)
{
    if (!peer)
        return fail(MPI_ERR_COMM, "peer_comm, as the local leader gives it, is no communicator");
    if (b->remote_leader >= 0 && b->remote_leader < comm_peer_count(peer))
        return MPI_SUCCESS;
    return fail(MPI_ERR_RANK, "remote_leader %d is not a rank of peer_comm; they go from 0 to %d",
                b->remote_leader, comm_peer_count(peer) - 1);
}

/* Invalid arguments are told to the other processes, so this rank goes on with its error. */
int api_intercomm_create(struct comm *local, int local_leader, MPI_Comm peer, int remote_leader, int tag,
                         struct comm **newcomm)
{
    struct bridge b = {.local = local,
                       .leader = local_leader,
                       .remote_leader = remote_leader,
                       .tag = tag < 0 ? 0 : make_program_tag(tag)};
    int error = MPI_SUCCESS;

    if (comm_is_inter(local))
        return fail(MPI_ERR_COMM, "local_comm is an intercommunicator");
    if (local_leader < 0 || local_leader >= local->size)
        error = fail(MPI_ERR_RANK, "local_leader %d is not a rank of local_comm; they go from 0 to %d",
                     local_leader, local->size - 1);
    else if (tag < 0)
        error = fail(MPI_ERR_TAG, "tag %d is negative", tag);
    else if (local->rank == local_leader)
        error = check_leader(&b, handle_find_comm(peer));
    if (!error)
        b.peer = handle_find_comm(peer);
    return intercomm_create(&b, error, NULL, NULL, newcomm);
}

int api_intercomm_create_from_groups(struct group *local, int local_leader, MPI_Group remote,
                                     int remote_leader, const char *stringtag, struct info *info,
                                     struct errhandler *errhandler, struct comm **newcomm)
{
    return comm_create_inter_from_groups(local, local_leader, handle_find_group(remote), remote_leader,
                                         stringtag, info, errhandler, newcomm);
}

/* What the root gives; the info stays NULL elsewhere. */
static int take_root(const char *port, MPI_Info handle, int root, const struct comm *comm, struct info **info)
{
    *info = NULL;
    if (comm->rank != root)
        return MPI_SUCCESS;
    if (!port)
        return fail(MPI_ERR_PORT, "port_name is NULL");
    *info = handle == MPI_INFO_NULL ? NULL : handle_find_info(handle);
    if (handle != MPI_INFO_NULL && !*info)
        return fail(MPI_ERR_INFO, "info is no info object, or one that has been freed");
    return MPI_SUCCESS;
}

int api_comm_accept(const char *port, MPI_Info info, int root, struct comm *comm, struct comm **newcomm)
{
    struct info *hints;
    int error = take_root(port, info, root, comm, &hints);

    return dynamic_accept(port, hints, root, comm, error, newcomm);
}

int api_comm_connect(const char *port, MPI_Info info, int root, struct comm *comm, struct comm **newcomm)
{
    struct info *hints;
    int error = take_root(port, info, root, comm, &hints);

    return dynamic_connect(port, hints, root, comm, error, newcomm);
}
