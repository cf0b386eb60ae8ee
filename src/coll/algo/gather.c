/* Gather and scatter: the root exchanges directly with every rank. The root's buffer takes each item as it
 * comes; a tree would copy items on the way and win for small ones on many hosts only. Few bytes of equal
 * blocks go through mailboxes; of others only the root knows how many. */
#include "coll/algo/inter_coll.h"
#include "coll/coll.h"
#include "coll/shm/shm_coll.h"

static void gather_flat(struct schedule *s, struct coll_block mine, const struct places *places, int root)
{
    if (s->rank != root) {
        step_send(s, mine, root);
        return;
    }
    for (int r = 0; r < s->size; r++)
        if (r != root)
            step_recv(s, place_of(places, r), r);
    if (mine.at != MPI_IN_PLACE)
        step_copy(s, mine, place_of(places, root));
}

static void scatter_flat(struct schedule *s, const struct places *places, struct coll_block mine, int root)
{
    if (s->rank != root) {
        step_recv(s, mine, root);
        return;
    }
    for (int r = 0; r < s->size; r++)
        if (r != root)
            step_send(s, place_of(places, r), r);
    if (mine.at != MPI_IN_PLACE)
        step_copy(s, place_of(places, root), mine);
}

static int gather(struct coll_block mine, const struct places *places, int root, struct comm *comm,
                  enum form form, struct request **request)
{
    struct schedule *s;
    int error;

    if (comm_is_inter(comm))
        return inter_coll_gather(mine, places, root, comm, form, request);
    error = schedule_open(comm, form, NULL, &s);
    if (error)
        return error;
    gather_flat(s, mine, places, root);
    return schedule_close(s, request);
}

static int scatter(const struct places *places, struct coll_block mine, int root, struct comm *comm,
                   enum form form, struct request **request)
{
    struct schedule *s;
    int error;

    if (comm_is_inter(comm))
        return inter_coll_scatter(places, mine, root, comm, form, request);
    error = schedule_open(comm, form, NULL, &s);
    if (error)
        return error;
    scatter_flat(s, places, mine, root);
    return schedule_close(s, request);
}

int coll_gather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm, enum form form,
                struct request **request)
{
    struct places places = {.base = recvbuf, .each = recvcount, .type = recvtype};
    struct coll_block mine = {(void *)(uintptr_t)sendbuf, sendcount, sendtype};
    struct shm_call call = {.collective = COLL_GATHER, .root = root, .in = mine, .out = block_empty()};
    struct mailboxes *boxes;

    if (comm_is_inter(comm))
        return gather(mine, &places, root, comm, form, request);
    if (sendbuf == MPI_IN_PLACE)
        call.in = place_of(&places, root);
    call.bytes = block_bytes(call.in);
    boxes = shm_coll_for(comm, form, COLL_GATHER, call.bytes);
    if (!boxes)
        return gather(mine, &places, root, comm, form, request);
    if (comm->rank == root)
        call.out = block_at(recvbuf, 0, recvtype->size ? recvcount * comm->size : 0, recvtype);
    return shm_coll_do(comm, boxes, &call, form, request);
}

int coll_gatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 struct counts recvcounts, struct counts displs, struct datatype *recvtype, int root,
                 struct comm *comm, enum form form, struct request **request)
{
    struct places places = {.base = recvbuf, .counts = recvcounts, .displs = displs, .type = recvtype};

    return gather((struct coll_block){(void *)(uintptr_t)sendbuf, sendcount, sendtype}, &places, root, comm,
                  form, request);
}

int coll_scatter(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm, enum form form,
                 struct request **request)
{
    struct places places = {.base = sendbuf, .each = sendcount, .type = sendtype};
    struct coll_block mine = {recvbuf, recvcount, recvtype};
    struct shm_call call = {.collective = COLL_SCATTER, .root = root, .in = block_empty(), .out = mine};
    struct mailboxes *boxes;

    if (comm_is_inter(comm))
        return scatter(&places, mine, root, comm, form, request);
    if (recvbuf == MPI_IN_PLACE)
        call.out = place_of(&places, root);
    if (block_bytes(call.out) > SIZE_MAX / (size_t)comm->size)
        return scatter(&places, mine, root, comm, form, request);
    call.bytes = block_bytes(call.out) * (size_t)comm->size;
    boxes = shm_coll_for(comm, form, COLL_SCATTER, call.bytes);
    if (!boxes)
        return scatter(&places, mine, root, comm, form, request);
    if (comm->rank == root)
        call.in = block_at(sendbuf, 0, sendtype->size ? sendcount * comm->size : 0, sendtype);
    return shm_coll_do(comm, boxes, &call, form, request);
}

int coll_scatterv(const void *sendbuf, struct counts sendcounts, struct counts displs,
                  struct datatype *sendtype, void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                  int root, struct comm *comm, enum form form, struct request **request)
{
    struct places places = {.base = sendbuf, .counts = sendcounts, .displs = displs, .type = sendtype};

    return scatter(&places, (struct coll_block){recvbuf, recvcount, recvtype}, root, comm, form, request);
}
