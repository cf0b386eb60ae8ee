#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/in_host.h"
#include "coll/algo/packed.h"
#include "coll/dispatch.h"
#include "coll/shm/engine.h"
#include "coll/shm/irregular.h"

#include <limits.h>
#include <stdint.h>

/* The root's buffer takes each item as it comes. */
static void gather_star(struct schedule *s, const struct coll_call *call)
{
    const struct places *all = &call->places->to;

    if (s->rank != call->root) {
        schedule_send(s, call->in, call->root);
        return;
    }
    for (int r = 0; r < s->size; r++)
        if (r != call->root)
            schedule_recv(s, block_place_of(all, r), r);
    schedule_keep(s, call->in, block_place_of(all, call->root));
}

static void gather_slots(struct schedule *s, const struct coll_call *call, const struct host_groups *hosts)
{
    const struct places *to = &call->places->to;
    bool is_root = s->rank == call->root;
    struct coll_block slot = packed_slots(s, 1), all = is_root ? packed_slots(s, s->size) : block_empty();
    const int *order = is_root ? packed_order(s, hosts, call->root) : NULL;

    packed_slot_put(s, call->in, slot);
    packed_gather_by(s, hosts, SLOT_BYTES, slot, all, call->root);
    if (!is_root && !packed_slot_holds(call->in))
        schedule_send(s, call->in, call->root);
    for (int i = 0; is_root && i < s->size; i++)
        if (order[i] != s->rank)
            schedule_unpack(s, packed_slot(all, i), block_place_of(to, order[i]), order[i]);
    if (is_root)
        schedule_keep(s, call->in, block_place_of(to, s->rank));
}

static void gather_packed(struct schedule *s, const struct coll_call *call, const struct host_groups *hosts)
{
    const struct places *to = &call->places->to;
    bool is_root = s->rank == call->root;
    MPI_Count each = (MPI_Count)(is_root ? block_bytes(block_place_of(to, s->rank)) : call->bytes);
    struct coll_block all = block_empty();
    const int *order = NULL;

    if (is_root) {
        all = schedule_scratch(s, each * s->size, datatype_predefined(MPI_BYTE));
        order = packed_order(s, hosts, call->root);
    }
    packed_gather_by(s, hosts, each, call->in, all, call->root);
    packed_take(s, all, order, s->size, to);
}

static void gather_tree(struct schedule *s, const struct coll_call *call)
{
    gather_packed(s, call, NULL);
}

static void gather_hosts(struct schedule *s, const struct coll_call *call)
{
    if (call->is_irregular)
        gather_slots(s, call, host_groups_of(s->comm));
    else
        gather_packed(s, call, host_groups_of(s->comm));
}

static void gather_mailbox_tree(struct schedule *s, const struct coll_call *call)
{
    bool is_root = s->rank == call->root;
    struct datatype *byte = datatype_predefined(MPI_BYTE);
    MPI_Count each = (MPI_Count)call->bytes;
    struct coll_block all = is_root ? schedule_scratch(s, each * s->size, byte) : block_empty();
    struct in_host host;

    in_host_open_all(&host, s, call, call->root);
    in_host_gather(&host, call->in, byte, each, all);
    in_host_close(&host);
    if (is_root)
        packed_take(s, all, in_host_order(&host), s->size, &call->places->to);
}

static void gather_inter(struct schedule *s, const struct coll_call *call)
{
    inter_enter_remote(s);
    for (int r = 0; call->root == MPI_ROOT && r < s->size; r++)
        schedule_recv(s, block_place_of(&call->places->to, r), r);
    if (call->root >= 0)
        schedule_send(s, call->in, call->root);
}

/* The root's own block is copied where it lies. */
static void gather_take_blocks(struct shm_run *run)
{
    const struct coll_call *call = run->call;
    struct mailboxes *s = run->boxes;
    MPI_Count each = call->out.count / s->size;

    if (!call->out.count)
        return;
    for (int i = 1, r = s->rank; i < s->size; i++) {
        r = r + 1 < s->size ? r + 1 : 0;
        engine_take_block(run, r, 0, block_slice(call->out, r * each, each));
    }
    engine_keep_block(run, call->in, block_slice(call->out, s->rank * each, each));
}

/* Of gatherv, of which the root alone knows how many bytes come. */
static bool gather_put_any(struct shm_run *run)
{
    return irregular_put(run, block_bytes(run->call->in), SMALL_MOST, irregular_pack_input);
}

static void gather_take_any(struct shm_run *run)
{
    const struct places *to = &run->call->places->to;

    for (int r = 0; r < run->boxes->size; r++)
        if (r != run->root && irregular_has_published(run, r))
            irregular_take_line(run, r, block_place_of(to, r));
    engine_keep_block(run, run->call->in, block_place_of(to, run->root));
}

static const struct shm_step equal_steps[] = {
    {.way = WAY_TO_ROOT, .put = engine_put_input, .take = gather_take_blocks, .keeps_own = true}};
static const struct shm_step any_steps[] = {
    {.way = WAY_TO_ROOT, .put = gather_put_any, .take = gather_take_any, .keeps_own = true}};

static void gather_mailbox(struct shm_run *run)
{
    engine_set_steps(run, run->is_irregular ? any_steps : equal_steps, 1);
}

/* The root of a gather may have its block in place. */
static inline int coll_gather_to(struct coll_call *call, struct comm *comm, enum form form, struct info *info,
                                 struct request **request)
{
    const struct places *all = &call->places->to;

    if (comm_is_inter(comm))
        return dispatch_call(comm, call, form, info, request);
    if (call->in.at == MPI_IN_PLACE)
        call->in = block_place_of(all, call->root);
    call->bytes = block_bytes(call->in);
    if (comm->rank == call->root)
        call->out = block_of_root(all->base, call->is_irregular ? 0 : all->each, comm->size, all->type);
    return dispatch_call(comm, call, form, info, request);
}

int coll_gather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm, enum form form,
                struct info *info, struct request **request)
{
    struct coll_places places = {.to = {.base = recvbuf, .each = recvcount, .type = recvtype}};
    struct coll_call call = {.list = &gather_list,
                             .root = root,
                             .in = block_of(sendbuf, sendcount, sendtype),
                             .out = block_empty(),
                             .places = &places};

    return coll_gather_to(&call, comm, form, info, request);
}

int coll_gatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 struct counts recvcounts, struct counts displs, struct datatype *recvtype, int root,
                 struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_places places = {
        .to = {.base = recvbuf, .counts = recvcounts, .displs = displs, .type = recvtype}};
    struct coll_call call = {.list = &gather_list,
                             .root = root,
                             .in = block_of(sendbuf, sendcount, sendtype),
                             .out = block_empty(),
                             .places = &places,
                             .is_irregular = true};

    return coll_gather_to(&call, comm, form, info, request);
}

/* The rows of the table. gen/coll_rows.py copies all that follows, without builders and plans, for `inkling coll` and the hint rows. */
enum {
    MAILBOX,
    TREE,
    HOSTS,
    MAILBOX_TREE,
    STAR
};

static const struct choice_algorithm algorithms[] = {
    [MAILBOX] = {"mailbox", TRAIT_MAILBOX, "through memory that the ranks of a host share",
                 .plan = gather_mailbox},
    [TREE] = {"tree", TRAIT_EQUAL, "blocks travel together along a binomial tree", .build = gather_tree},
    [HOSTS] = {"hosts", TRAIT_HOSTS, "leaders gather what their hosts have, and send it to the root together",
               .build = gather_hosts},
    [MAILBOX_TREE] = {"mailbox_tree", TRAIT_TREE,
                      "up a tree of the ranks of a host, in its memory; few bytes",
                      .build = gather_mailbox_tree},
    [STAR] = {"star", 0, "the root receives from all", .build = gather_star},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 4 * KIB, 2, 64}, {MAILBOX_TREE, 0, SIZE_MAX, 65, 1024},
    {HOSTS, 0, 256, 5, 16},       {HOSTS, 0, KIB, 17, INT_MAX}, /* these: docs/SCALE.md */
    {TREE, 0, 256, 65, INT_MAX},  {STAR, 0, SIZE_MAX, 1, INT_MAX},
};

const struct choice_list gather_list = {.name = "gather",
                                        .collective = COLL_GATHER,
                                        .algorithm = algorithms,
                                        .algorithms = sizeof algorithms / sizeof *algorithms,
                                        .rule = rules,
                                        .rules = sizeof rules / sizeof *rules,
                                        .inter = gather_inter};
