#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/dispatch.h"

#include <limits.h>
#include <stdint.h>

/* Each item goes straight to where it is wanted, as in gather.c. */
static void scatter_star(struct schedule *s, const struct coll_call *call)
{
    const struct places *all = &call->places->from;

    if (s->rank != call->root) {
        schedule_recv(s, call->out, call->root);
        return;
    }
    for (int r = 0; r < s->size; r++)
        if (r != call->root)
            schedule_send(s, block_place_of(all, r), r);
    schedule_keep(s, block_place_of(all, call->root), call->out);
}

static void scatter_inter(struct schedule *s, const struct coll_call *call)
{
    inter_enter_remote(s);
    for (int r = 0; call->root == MPI_ROOT && r < s->size; r++)
        schedule_send(s, block_place_of(&call->places->from, r), r);
    if (call->root >= 0)
        schedule_recv(s, call->out, call->root);
}

static inline int coll_scatter_from(struct coll_call *call, struct comm *comm, enum form form,
                                    struct info *info, struct request **request)
{
    const struct places *all = &call->places->from;

    if (comm_is_inter(comm))
        return dispatch_call(comm, call, form, info, request);
    if (call->out.at == MPI_IN_PLACE)
        call->out = block_place_of(all, call->root);
    call->bytes = block_bytes(call->out);
    if (comm->rank == call->root)
        call->in = block_of_root(all->base, call->is_irregular ? 0 : all->each, comm->size, all->type);
    return dispatch_call(comm, call, form, info, request);
}

int coll_scatter(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm, enum form form,
                 struct info *info, struct request **request)
{
    struct coll_places places = {.from = {.base = sendbuf, .each = sendcount, .type = sendtype}};
    struct coll_call call = {.list = &scatter_list,
                             .root = root,
                             .in = block_empty(),
                             .out = {recvbuf, recvcount, recvtype},
                             .places = &places};

    return coll_scatter_from(&call, comm, form, info, request);
}

int coll_scatterv(const void *sendbuf, struct counts sendcounts, struct counts displs,
                  struct datatype *sendtype, void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                  int root, struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_places places = {
        .from = {.base = sendbuf, .counts = sendcounts, .displs = displs, .type = sendtype}};
    struct coll_call call = {.list = &scatter_list,
                             .root = root,
                             .in = block_empty(),
                             .out = {recvbuf, recvcount, recvtype},
                             .places = &places,
                             .is_irregular = true};

    return coll_scatter_from(&call, comm, form, info, request);
}

/* The rows of the table. gen/coll_rows.py copies all that follows, without builders, for `inkling coll` and the hint rows. */
enum {
    MAILBOX,
    STAR
};

static const struct choice_algorithm algorithms[] = {
    [MAILBOX] = {"slots", TRAIT_MAILBOX, "through memory that the ranks of a host share"},
    [STAR] = {"star", 0, "the root sends to all", .build = scatter_star},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 8 * KIB, 2, 2},
    {MAILBOX, 0, 32 * KIB, 3, 64},
    {STAR, 0, SIZE_MAX, 1, INT_MAX},
};

const struct choice_list scatter_list = {.name = "scatter",
                                         .collective = COLL_SCATTER,
                                         .algorithm = algorithms,
                                         .algorithms = sizeof algorithms / sizeof *algorithms,
                                         .rule = rules,
                                         .rules = sizeof rules / sizeof *rules,
                                         .inter = scatter_inter};
