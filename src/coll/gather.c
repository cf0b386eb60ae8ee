/* Gather and scatter: the root exchanges directly with every rank. The root's buffer takes each item as it
 * comes; a tree would copy items on the way and win for small ones on many hosts only. */
#include "coll/coll.h"
#include "coll/step.h"

/* Where rank r's items are in the root's buffer: counts and displacements, or equal blocks. */
struct place {
    struct counts counts, displs;
    MPI_Count each; /* items of each rank when counts are not given */
};

static struct block placed(const void *base, struct datatype *type, const struct place *p, int r)
{
    if (p->counts.narrow || p->counts.wide)
        return block_at(base, count_at(p->displs, r), count_at(p->counts, r), type);
    return block_at(base, p->each * r, p->each, type);
}

static void gather_flat(struct coll *c, struct block mine, void *recvbuf, struct datatype *type,
                        const struct place *place, int root)
{
    if (c->rank != root) {
        step_send(c, mine, root);
        return;
    }
    for (int r = 0; r < c->size; r++)
        if (r != root)
            step_post_recv(c, placed(recvbuf, type, place, r), r);
    if (mine.at != MPI_IN_PLACE)
        step_copy(c, mine, placed(recvbuf, type, place, root));
}

static void scatter_flat(struct coll *c, const void *sendbuf, struct datatype *type,
                         const struct place *place, struct block mine, int root)
{
    if (c->rank != root) {
        step_recv(c, mine, root);
        return;
    }
    for (int r = 0; r < c->size; r++)
        if (r != root)
            step_post_send(c, placed(sendbuf, type, place, r), r);
    if (mine.at != MPI_IN_PLACE)
        step_copy(c, placed(sendbuf, type, place, root), mine);
}

static int gather(struct block mine, void *recvbuf, struct datatype *recvtype, struct place place, int root,
                  struct comm *comm)
{
    struct coll c;
    int error = coll_start(&c, comm);

    if (error)
        return error;
    gather_flat(&c, mine, recvbuf, recvtype, &place, root);
    return coll_finish(&c);
}

static int scatter(const void *sendbuf, struct datatype *sendtype, struct place place, struct block mine,
                   int root, struct comm *comm)
{
    struct coll c;
    int error = coll_start(&c, comm);

    if (error)
        return error;
    scatter_flat(&c, sendbuf, sendtype, &place, mine, root);
    return coll_finish(&c);
}

int coll_gather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm)
{
    return gather((struct block){(void *)(uintptr_t)sendbuf, sendcount, sendtype}, recvbuf, recvtype,
                  (struct place){.each = recvcount}, root, comm);
}

int coll_gatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 struct counts recvcounts, struct counts displs, struct datatype *recvtype, int root,
                 struct comm *comm)
{
    return gather((struct block){(void *)(uintptr_t)sendbuf, sendcount, sendtype}, recvbuf, recvtype,
                  (struct place){.counts = recvcounts, .displs = displs}, root, comm);
}

int coll_scatter(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm)
{
    return scatter(sendbuf, sendtype, (struct place){.each = sendcount},
                   (struct block){recvbuf, recvcount, recvtype}, root, comm);
}

int coll_scatterv(const void *sendbuf, struct counts sendcounts, struct counts displs,
                  struct datatype *sendtype, void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                  int root, struct comm *comm)
{
    return scatter(sendbuf, sendtype, (struct place){.counts = sendcounts, .displs = displs},
                   (struct block){recvbuf, recvcount, recvtype}, root, comm);
}
