#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"
#include "coll/dispatch.h"

#include <limits.h>
#include <stdint.h>

static void bcast_tree(struct schedule *s, const struct coll_call *call)
{
    tree_bcast(s, call->in, call->root);
}

/* Each rank gets its piece from the root and hands on, round the ring, what it has got. The root has all. */
static void scatter_bytes(struct schedule *s, struct coll_block b, int root)
{
    struct places pieces = block_places_evenly(b, s->size);
    int next = (s->rank + 1) % s->size, previous = (s->rank - 1 + s->size) % s->size;

    for (int r = 0; s->rank == root && r < s->size; r++)
        if (r != root)
            schedule_send(s, block_place_of(&pieces, r), r);
    if (s->rank != root)
        schedule_recv(s, block_place_of(&pieces, s->rank), root);
    schedule_wait(s);
    for (int step = 0; step < s->size - 1; step++) {
        int out = (s->rank - step + s->size) % s->size;

        if (s->rank != root)
            schedule_recv(s, block_place_of(&pieces, (out - 1 + s->size) % s->size), previous);
        if (next != root)
            schedule_send(s, block_place_of(&pieces, out), next);
        schedule_wait(s);
    }
}

/* Portions travel along the chain of ranks behind the root. */
static void pipe_bytes(struct schedule *s, struct coll_block b, int root)
{
    MPI_Count portion = block_portion(b.type);
    int relative = (s->rank - root + s->size) % s->size;

    for (MPI_Count at = 0; at == 0 || at < b.count; at += portion) {
        if (relative) {
            schedule_recv(s, block_slice(b, at, portion), (s->rank - 1 + s->size) % s->size);
            schedule_wait(s);
        }
        if (relative < s->size - 1)
            schedule_send(s, block_slice(b, at, portion), (s->rank + 1) % s->size);
    }
}

/* In pieces of as many bytes on all ranks: they may count the same data in items of different types. What has
 * gaps is packed apart. */
static void bcast_bytes(struct schedule *s, const struct coll_call *call,
                        void move(struct schedule *s, struct coll_block bytes, int root))
{
    struct coll_block b = call->in;
    struct coll_block bytes = {b.at, (MPI_Count)block_bytes(b), datatype_predefined(MPI_BYTE)};
    bool is_packed = !b.type->dense && bytes.count;

    if (is_packed)
        bytes = schedule_scratch(s, bytes.count, bytes.type);
    if (is_packed && s->rank == call->root && bytes.count)
        schedule_copy(s, b, bytes);
    move(s, bytes, call->root);
    schedule_wait(s);
    if (is_packed && s->rank != call->root && bytes.count)
        schedule_copy(s, bytes, b);
}

static void bcast_scatter(struct schedule *s, const struct coll_call *call)
{
    bcast_bytes(s, call, scatter_bytes);
}

static void bcast_pipeline(struct schedule *s, const struct coll_call *call)
{
    bcast_bytes(s, call, pipe_bytes);
}

static void bcast_hosts(struct schedule *s, const struct coll_call *call)
{
    const struct host_groups *hosts = host_groups_of(s->comm);
    struct schedule_team local = host_groups_local(hosts, s->rank),
                         leaders = host_groups_leaders(s, hosts, call->root);
    int root_host = host_groups_find(hosts, call->root);

    if (leaders.me >= 0) {
        schedule_enter(s, leaders);
        tree_bcast(s, call->in, root_host);
    }
    schedule_enter(s, local);
    tree_bcast(s, call->in, root_host == hosts->mine ? call->root - local.first : 0);
}

static void bcast_inter(struct schedule *s, const struct coll_call *call)
{
    if (call->root == MPI_PROC_NULL)
        return;
    inter_enter_remote(s);
    if (call->root == MPI_ROOT) {
        schedule_send(s, call->in, 0);
        return;
    }
    if (s->owner->rank == 0) {
        schedule_recv(s, call->in, call->root);
        schedule_wait(s);
    }
    inter_enter_local(s);
    tree_bcast(s, call->in, 0);
}

/* Only the root knows what it gives; its own group knows nothing. */
static int coll_bcast_across(struct coll_call call, struct comm *comm, enum form form, struct info *info,
                             struct request **request)
{
    struct coll_places none = {0};

    if (call.root == MPI_PROC_NULL)
        call.in = call.out = block_empty();
    call.is_irregular = true;
    call.places = &none;
    return dispatch_call(comm, &call, form, info, request);
}

int coll_bcast(void *buffer, MPI_Count count, struct datatype *type, int root, struct comm *comm,
               enum form form, struct info *info, struct request **request)
{
    struct coll_block b = {buffer, count, type};
    struct coll_call call = {.list = &bcast_list, .root = root, .in = b, .out = b};

    if (comm_is_inter(comm))
        return coll_bcast_across(call, comm, form, info, request);
    call.bytes = block_bytes(b);
    return dispatch_call(comm, &call, form, info, request);
}

/* The rows of the table. gen/coll_rows.py copies all that follows, without builders, for `inkling coll` and the hint rows. */
enum {
    MAILBOX,
    SINGLE_COPY,
    SCATTER,
    PIPELINE,
    HOSTS,
    TREE
};

static const struct choice_algorithm algorithms[] = {
    [MAILBOX] = {"slots", TRAIT_MAILBOX, "through memory that the ranks of a host share"},
    [SINGLE_COPY] = {"reach", TRAIT_DIRECT, "ranks of a host copy out of the root's buffer"},
    [SCATTER] = {"scatter", 0, "scatters pieces, then gathers them everywhere round a ring",
                 .build = bcast_scatter},
    [PIPELINE] = {"pipeline", 0, "portions travel along a chain of ranks", .build = bcast_pipeline},
    [HOSTS] = {"hosts", TRAIT_HOSTS, "a tree between hosts, then a tree in each", .build = bcast_hosts},
    [TREE] = {"tree", 0, "a binomial tree", .build = bcast_tree},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 32 * KIB, 2, 2},
    {MAILBOX, 0, SIZE_MAX, 3, 64},
    {HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {TREE, 0, SIZE_MAX, 1, INT_MAX},
};

const struct choice_list bcast_list = {.name = "bcast",
                                       .collective = COLL_BCAST,
                                       .algorithm = algorithms,
                                       .algorithms = sizeof algorithms / sizeof *algorithms,
                                       .rule = rules,
                                       .rules = sizeof rules / sizeof *rules,
                                       .inter = bcast_inter};
