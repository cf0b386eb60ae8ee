#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"
#include "coll/algo/in_host.h"
#include "coll/dispatch.h"
#include "coll/shm/engine.h"
#include "coll/shm/single_copy.h"

#include <limits.h>
#include <stdint.h>

static void reduce_tree(struct schedule *s, const struct coll_call *call)
{
    tree_reduce(s, call->in, call->out, call->root);
}

static void reduce_star(struct schedule *s, const struct coll_call *call)
{
    star_reduce(s, call->in, call->out, call->root);
}

/* Every rank combines one piece; the root collects them. */
static void reduce_pieces(struct schedule *s, const struct coll_call *call)
{
    struct places pieces = block_places_evenly(call->in, s->size),
                  results = block_places_in(&pieces, call->out.at);

    if (s->rank != call->root) {
        struct coll_block piece = schedule_scratch(s, block_place_of(&pieces, s->rank).count, call->in.type);

        pieces_pairwise(s, &pieces, piece);
        schedule_send(s, piece, call->root);
        return;
    }
    pieces_own(s, &pieces, &results);
    for (int r = 0; r < s->size; r++)
        if (r != call->root)
            schedule_recv(s, block_place_of(&results, r), r);
}

static void reduce_hosts(struct schedule *s, const struct coll_call *call)
{
    const struct host_groups *hosts = host_groups_of(s->comm);
    struct schedule_team local = host_groups_local(hosts, s->rank),
                         leaders = host_groups_leaders(s, hosts, call->root);
    struct coll_block partial = call->out;
    int root_host = host_groups_find(hosts, call->root);
    struct in_host host;

    if (leaders.me >= 0 && s->rank != call->root)
        partial = schedule_scratch(s, call->in.count, call->in.type);
    in_host_open(&host, s, call, local, host_groups_speaker(hosts, call->root));
    in_host_reduce(&host, call->in, partial);
    in_host_close(&host);
    if (leaders.me < 0)
        return;
    schedule_enter(s, leaders);
    tree_reduce(s, partial, call->out, root_host);
}

static void reduce_mailbox_tree(struct schedule *s, const struct coll_call *call)
{
    struct in_host host;

    in_host_open(&host, s, call, in_host_all(s), call->root);
    in_host_reduce(&host, call->in, call->out);
    in_host_close(&host);
}

static void reduce_inter(struct schedule *s, const struct coll_call *call)
{
    if (call->root >= 0) {
        struct coll_block sum = inter_combine_local(s, call->in);

        inter_enter_remote(s);
        if (s->owner->rank == 0)
            schedule_send(s, sum, call->root);
    } else if (call->root == MPI_ROOT) {
        inter_enter_remote(s);
        schedule_recv(s, call->out, 0);
    }
}

static const struct shm_step mailbox_steps[] = {
    {.way = WAY_TO_ROOT, .put = engine_put_input, .take = engine_combine_all}};

static void reduce_mailbox(struct shm_run *run)
{
    engine_set_steps(run, mailbox_steps, 1);
}

static bool reduce_expose(struct shm_run *run)
{
    return single_copy_expose(run, USE_INPUT | (run->root == run->boxes->rank ? USE_RESULT | USE_PUT : 0));
}

static int reduce_store_at_root(const struct single_copy *c, size_t at, size_t bytes, const void *sum)
{
    return single_copy_store(c, c->run->root, at, sum, bytes);
}

/* The root has a larger piece, since it does not send its result away. */
static int reduce_combine_piece(const struct single_copy *c)
{
    return single_copy_combine_piece(c, 5, reduce_store_at_root);
}

static void reduce_combine_for_root(struct shm_run *run)
{
    single_copy_move(run, reduce_combine_piece);
}

static const struct shm_step copy_steps[] = {
    {.way = WAY_ALL, .put = reduce_expose, .take = reduce_combine_for_root, .due = single_copy_due},
    {.way = WAY_ALL, .put = engine_put_nothing, .take = engine_take_nothing, .due = engine_due_nothing},
};

static void reduce_single_copy(struct shm_run *run)
{
    engine_set_steps(run, copy_steps, 2);
}

int coll_reduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                int root, struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_call call = {.list = &reduce_list,
                             .root = root,
                             .in = block_of(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type),
                             .out = {recvbuf, count, type},
                             .op = op};
    int error = root == MPI_PROC_NULL ? MPI_SUCCESS : op_check_items(op, count, type);

    if (error)
        return error;
    if (!comm_is_inter(comm))
        call.bytes = block_bytes(call.out);
    return dispatch_call(comm, &call, form, info, request);
}

/* The rows of the table. gen/coll_rows.py copies all that follows, without builders and plans, for `inkling coll` and the hint rows. */
enum {
    MAILBOX,
    SINGLE_COPY,
    STAR,
    PIECES,
    HOSTS,
    MAILBOX_TREE,
    TREE
};

static const struct choice_algorithm algorithms[] = {
    [MAILBOX] = {"mailbox", TRAIT_MAILBOX, "through memory that the ranks of a host share",
                 .plan = reduce_mailbox},
    [SINGLE_COPY] = {"single_copy", TRAIT_SINGLE_COPY,
                     "each rank of a host combines a piece of all vectors where they are, for the root",
                     .plan = reduce_single_copy},
    [STAR] = {"star", 0, "the root receives and combines all vectors", .build = reduce_star},
    [PIECES] = {"pieces", TRAIT_COMMUTATIVE | TRAIT_ITEMS,
                "each rank combines a piece, the root gathers them", .build = reduce_pieces},
    [HOSTS] = {"hosts", TRAIT_HOSTS | TRAIT_COMMUTATIVE,
               "in the memory of each host, or along a tree, then one between them", .build = reduce_hosts},
    [MAILBOX_TREE] = {"mailbox_tree", TRAIT_TREE | TRAIT_COMMUTATIVE,
                      "along a tree of the ranks of a host, in its memory; few bytes",
                      .build = reduce_mailbox_tree},
    [TREE] = {"tree", 0, "a binomial tree", .build = reduce_tree},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 64 * KIB, 2, 2},
    {MAILBOX, 0, 128 * KIB, 3, 5},
    {MAILBOX, 0, 64 * KIB, 6, 16},
    {MAILBOX, 0, 4 * KIB, 17, 64},
    {SINGLE_COPY, 128 * KIB, SIZE_MAX, 2, 2},
    {SINGLE_COPY, 64 * KIB, SIZE_MAX, 3, 64},
    {MAILBOX_TREE, 0, SIZE_MAX, 65, 1024},
    {HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {PIECES, 64 * KIB, SIZE_MAX, 3, INT_MAX},
    {TREE, 0, SIZE_MAX, 1, INT_MAX},
};

const struct choice_list reduce_list = {.name = "reduce",
                                        .collective = COLL_REDUCE,
                                        .algorithm = algorithms,
                                        .algorithms = sizeof algorithms / sizeof *algorithms,
                                        .rule = rules,
                                        .rules = sizeof rules / sizeof *rules,
                                        .inter = reduce_inter};
