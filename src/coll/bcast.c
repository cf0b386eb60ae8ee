#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"
#include "coll/algo/in_host.h"
#include "coll/dispatch.h"
#include "coll/shm/engine.h"
#include "coll/shm/irregular.h"
#include "coll/shm/single_copy.h"

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
    struct in_host host;

    in_host_open(&host, s, call, local, host_groups_speaker(hosts, call->root));
    if (leaders.me >= 0) {
        schedule_enter(s, leaders);
        tree_bcast(s, call->in, root_host);
        schedule_leave(s);
    }
    in_host_bcast(&host, call->in);
    in_host_close(&host);
}

static void bcast_mailbox_tree(struct schedule *s, const struct coll_call *call)
{
    struct in_host host;

    in_host_open(&host, s, call, in_host_all(s), call->root);
    in_host_bcast(&host, call->in);
    in_host_close(&host);
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

static void bcast_take_all(struct shm_run *run)
{
    if (run->root != run->boxes->rank)
        engine_take_block(run, run->root, 0, run->call->out);
}

/* Bytes under one sequence number: not all of a long broadcast. */
static size_t bcast_portion_bytes(const struct shm_run *run)
{
    return BCAST_MOST < run->boxes->shape.segment ? BCAST_MOST : run->boxes->shape.segment;
}

static uint32_t bcast_portions(const struct shm_run *run)
{
    return (uint32_t)((run->call->bytes - 1) / bcast_portion_bytes(run)) + 1;
}

/* Where this step's portion begins. */
static size_t bcast_portion_begin(const struct shm_run *run)
{
    return (bcast_portions(run) - 1 - run->left) * bcast_portion_bytes(run);
}

static size_t bcast_portion_due(const struct shm_run *run, int rank)
{
    size_t rest = run->call->bytes - bcast_portion_begin(run), most = bcast_portion_bytes(run);

    (void)rank;
    return rest < most ? rest : most;
}

static bool bcast_put_portion(struct shm_run *run)
{
    return engine_put_block(run, run->call->in, bcast_portion_begin(run), bcast_portion_due(run, run->root),
                            0);
}

static void bcast_take_portion(struct shm_run *run)
{
    const unsigned char *from = mailbox_data(run->boxes, run->root, run->sequence);

    if (run->root != run->boxes->rank)
        engine_copy_part(run, from, run->call->out, bcast_portion_begin(run),
                         bcast_portion_due(run, run->root));
}

/* Between two groups, whose root alone knows how many bytes there are: more go through a mailbox where several ranks read it. */
static bool bcast_put_across(struct shm_run *run)
{
    bool has_one_reader = run->irregular->comm->remote->size == 1;

    return irregular_put(run, block_bytes(run->call->in),
                         has_one_reader ? SMALL_MOST : run->boxes->shape.segment, irregular_pack_input);
}

static void bcast_take_across(struct shm_run *run)
{
    if (run->root != run->boxes->rank && !irregular_is_idle(run) && !run->irregular->has_messages)
        irregular_take_line(run, run->root, run->call->out);
}

static const struct shm_step whole_steps[] = {
    {.way = WAY_FROM_ROOT, .put = engine_put_input, .take = bcast_take_all}};
static const struct shm_step portion_steps[] = {{.way = WAY_FROM_ROOT,
                                                 .put = bcast_put_portion,
                                                 .take = bcast_take_portion,
                                                 .due = bcast_portion_due,
                                                 .is_portion = true}};
static const struct shm_step across_steps[] = {
    {.way = WAY_FROM_ROOT, .put = bcast_put_across, .take = bcast_take_across}};

static void bcast_mailbox(struct shm_run *run)
{
    if (run->is_irregular)
        engine_set_steps(run, across_steps, 1);
    else if (run->call->bytes <= bcast_portion_bytes(run))
        engine_set_steps(run, whole_steps, 1);
    else
        engine_set_steps(run, portion_steps, bcast_portions(run));
}

static bool bcast_expose(struct shm_run *run)
{
    return single_copy_expose(run, run->root == run->boxes->rank ? USE_INPUT : USE_RESULT);
}

static int bcast_take_from_root(const struct single_copy *c)
{
    int root = c->run->root;

    return root == c->rank ? MPI_SUCCESS : single_copy_take(c, root, 0, 0, c->run->call->bytes);
}

static void bcast_copy_from_root(struct shm_run *run)
{
    single_copy_move(run, bcast_take_from_root);
}

/* Only the root must know that its buffer is free. */
static const struct shm_step copy_steps[] = {
    {.way = WAY_ALL, .put = bcast_expose, .take = bcast_copy_from_root, .due = single_copy_due},
    {.way = WAY_TO_ROOT, .put = engine_put_nothing, .take = engine_take_nothing, .due = engine_due_nothing},
};

static void bcast_single_copy(struct shm_run *run)
{
    engine_set_steps(run, copy_steps, 2);
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

/* The rows of the table. gen/coll_rows.py copies all that follows, without builders and plans, for `inkling coll` and the hint rows. */
enum {
    MAILBOX,
    SINGLE_COPY,
    SCATTER,
    PIPELINE,
    HOSTS,
    MAILBOX_TREE,
    TREE
};

static const struct choice_algorithm algorithms[] = {
    [MAILBOX] = {"mailbox", TRAIT_MAILBOX, "through memory that the ranks of a host share",
                 .plan = bcast_mailbox},
    [SINGLE_COPY] = {"single_copy", TRAIT_SINGLE_COPY, "ranks of a host copy out of the root's buffer",
                     .plan = bcast_single_copy},
    [SCATTER] = {"scatter", 0, "scatters pieces, then gathers them everywhere round a ring",
                 .build = bcast_scatter},
    [PIPELINE] = {"pipeline", 0, "portions travel along a chain of ranks", .build = bcast_pipeline},
    [HOSTS] = {"hosts", TRAIT_HOSTS, "a tree between hosts, then in the memory of each, or along a tree",
               .build = bcast_hosts},
    [MAILBOX_TREE] = {"mailbox_tree", TRAIT_TREE,
                      "along a tree of the ranks of a host, in its memory; few bytes",
                      .build = bcast_mailbox_tree},
    [TREE] = {"tree", 0, "a binomial tree", .build = bcast_tree},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 32 * KIB, 2, 2},          {MAILBOX, 0, SIZE_MAX, 3, 64},
    {MAILBOX_TREE, 0, SIZE_MAX, 65, 1024}, {SCATTER, MIB, SIZE_MAX, 65, 1024}, /* docs/SCALE.md */
    {HOSTS, 0, SIZE_MAX, 2, INT_MAX},      {TREE, 0, SIZE_MAX, 1, INT_MAX},
};

const struct choice_list bcast_list = {.name = "bcast",
                                       .collective = COLL_BCAST,
                                       .algorithm = algorithms,
                                       .algorithms = sizeof algorithms / sizeof *algorithms,
                                       .rule = rules,
                                       .rules = sizeof rules / sizeof *rules,
                                       .inter = bcast_inter};
