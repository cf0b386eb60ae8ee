/* Neighbourhood collectives (MPI-5.0 section 8.6): every edge of the communicator's topology is a message. */
#include "coll/coll.h"
#include "comm/topology.h"
#include "plain/fail.h"

#include <stdlib.h>

/* All receives and sends are started together: in a graph, any order of rounds could wait in a circle. */
static void exchange(struct schedule *s, const struct topology *t, const struct coll_block *same,
                     const struct places *out, const struct places *in)
{
    schedule_reserve(s, t->in.count + t->out.count);
    for (int i = 0; i < t->in.count; i++) {
        int k = topology_receive_at(t, i);

        if (t->in.rank[k] != MPI_PROC_NULL)
            schedule_recv(s, block_place_of(in, k), t->in.rank[k]);
    }
    for (int i = 0; i < t->out.count; i++)
        if (t->out.rank[i] != MPI_PROC_NULL)
            schedule_send(s, same ? *same : block_place_of(out, i), t->out.rank[i]);
}

static int check_places(const struct places *places, int count, const char *buffer)
{
    bool is_counted = places->counts.narrow || places->counts.wide;

    for (int i = 0; is_counted && i < count; i++) {
        struct coll_block block = block_place_of(places, i);

        if (block.count < 0)
            return fail(MPI_ERR_COUNT, "the count of neighbor %d in %s is %lld", i, buffer,
                        (long long)block.count);
        if (!places->base && block.count > 0 && datatype_is_nowhere(block.type, block.at))
            return fail(MPI_ERR_BUFFER, "%s is NULL, but %lld items of neighbor %d are to be there", buffer,
                        (long long)block.count, i);
    }
    return MPI_SUCCESS;
}

static const struct places nowhere;

/* Sends `same` to all, or to each its place in `out`. */
static int neighbor(const struct coll_block *same, const struct places *out, const struct places *in,
                    struct comm *comm, enum form form, struct request **request)
{
    const struct topology *t = comm->topology;
    struct schedule *s;
    int error;

    if (!t)
        return fail(MPI_ERR_TOPOLOGY, "the communicator has no topology, so nobody has neighbors in it");
    error = check_places(out, t->out.count, "sendbuf");
    if (!error)
        error = check_places(in, t->in.count, "recvbuf");
    if (!error)
        error = schedule_open(comm, form, NULL, &s);
    if (error)
        return error;
    exchange(s, t, same, out, in);
    return schedule_close(s, request);
}

/* Whether arrays of counts and displacements are there where the topology has edges. */
static int check_arrays(const struct comm *comm, struct counts counts, struct counts displs, bool is_in)
{
    const struct topology *t = comm->topology;
    int count = !t ? 0 : is_in ? t->in.count : t->out.count;

    if (count == 0 || ((counts.narrow || counts.wide) && (displs.narrow || displs.wide)))
        return MPI_SUCCESS;
    return fail(MPI_ERR_ARG, "an array of %s counts or displacements is NULL, but there are %d neighbors",
                is_in ? "receive" : "send", count);
}

int coll_neighbor_allgather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                            void *recvbuf, MPI_Count recvcount, struct datatype *recvtype, struct comm *comm,
                            enum form form, struct request **request)
{
    struct coll_block mine = block_at(sendbuf, 0, sendcount, sendtype);
    struct places in = {.base = recvbuf, .each = recvcount, .type = recvtype};

    return neighbor(&mine, &nowhere, &in, comm, form, request);
}

int coll_neighbor_allgatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                             void *recvbuf, struct counts recvcounts, struct counts displs,
                             struct datatype *recvtype, struct comm *comm, enum form form,
                             struct request **request)
{
    struct coll_block mine = block_at(sendbuf, 0, sendcount, sendtype);
    struct places in = {.base = recvbuf, .counts = recvcounts, .displs = displs, .type = recvtype};
    int error = check_arrays(comm, recvcounts, displs, true);

    return error ? error : neighbor(&mine, &nowhere, &in, comm, form, request);
}

int coll_neighbor_alltoall(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                           MPI_Count recvcount, struct datatype *recvtype, struct comm *comm, enum form form,
                           struct request **request)
{
    struct places out = {.base = sendbuf, .each = sendcount, .type = sendtype};
    struct places in = {.base = recvbuf, .each = recvcount, .type = recvtype};

    return neighbor(NULL, &out, &in, comm, form, request);
}

int coll_neighbor_alltoallv(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                            struct datatype *sendtype, void *recvbuf, struct counts recvcounts,
                            struct counts rdispls, struct datatype *recvtype, struct comm *comm,
                            enum form form, struct request **request)
{
    struct places out = {.base = sendbuf, .counts = sendcounts, .displs = sdispls, .type = sendtype};
    struct places in = {.base = recvbuf, .counts = recvcounts, .displs = rdispls, .type = recvtype};
    int error = check_arrays(comm, sendcounts, sdispls, false);

    if (!error)
        error = check_arrays(comm, recvcounts, rdispls, true);
    return error ? error : neighbor(NULL, &out, &in, comm, form, request);
}

/* The types of so many neighbours; nobody has checked them yet. */
static int find_neighbor_types(const MPI_Datatype handles[], struct datatype **types, int count,
                               const char *name)
{
    if (count > 0 && !handles)
        return fail(MPI_ERR_ARG, "%s is NULL", name);
    for (int i = 0; i < count; i++) {
        types[i] = datatype_find(handles[i]);
        if (!datatype_is_usable(types[i]))
            return fail(MPI_ERR_TYPE, "%s[%d] is not a committed datatype", name, i);
    }
    return MPI_SUCCESS;
}

int coll_neighbor_alltoallw(const void *sendbuf, struct counts sendcounts, const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void *recvbuf, struct counts recvcounts,
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], struct comm *comm,
                            enum form form, struct request **request)
{
    int out = comm->topology ? comm->topology->out.count : 0,
        in = comm->topology ? comm->topology->in.count : 0;
    struct datatype **types = malloc(((size_t)out + (size_t)in + 1) * sizeof *types);
    struct places to = {.base = sendbuf, .counts = sendcounts, .displs.wide = (const int64_t *)sdispls};
    struct places from = {.base = recvbuf, .counts = recvcounts, .displs.wide = (const int64_t *)rdispls};
    int error;

    if (!types)
        return fail(MPI_ERR_NO_MEM, "no memory for the datatypes of %d neighbors", out + in);
    to.types = types;
    from.types = types + out;
    error = find_neighbor_types(sendtypes, types, out, "sendtypes");
    if (!error)
        error = find_neighbor_types(recvtypes, types + out, in, "recvtypes");
    if (!error)
        error = check_arrays(comm, to.counts, to.displs, false);
    if (!error)
        error = check_arrays(comm, from.counts, from.displs, true);
    if (!error)
        error = neighbor(NULL, &to, &from, comm, form, request);
    free(types);
    return error;
}
