#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/in_host.h"
#include "coll/algo/packed.h"
#include "coll/dispatch.h"
#include "coll/shm/engine.h"
#include "coll/shm/irregular.h"

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

static void scatter_slots(struct schedule *s, const struct coll_call *call, const struct host_groups *hosts)
{
    const struct places *from = &call->places->from;
    bool is_root = s->rank == call->root;
    struct coll_block slot = packed_slots(s, 1), all = is_root ? packed_slots(s, s->size) : block_empty();
    const int *order = is_root ? packed_order(s, hosts, call->root) : NULL;

    for (int i = 0; is_root && i < s->size; i++)
        packed_slot_put(s, block_place_of(from, order[i]), packed_slot(all, i));
    packed_scatter_by(s, hosts, SLOT_BYTES, all, slot, call->root);
    for (int r = 0; is_root && r < s->size; r++)
        if (r != s->rank && !packed_slot_holds(block_place_of(from, r)))
            schedule_send(s, block_place_of(from, r), r);
    if (is_root)
        schedule_keep(s, block_place_of(from, s->rank), call->out);
    else
        schedule_unpack(s, slot, call->out, call->root);
}

static void scatter_packed(struct schedule *s, const struct coll_call *call, const struct host_groups *hosts)
{
    const struct places *from = &call->places->from;
    bool is_root = s->rank == call->root;
    MPI_Count each = (MPI_Count)(is_root ? block_bytes(block_place_of(from, s->rank)) : call->bytes);
    struct coll_block all = block_empty();

    if (is_root) {
        all = schedule_scratch(s, each * s->size, datatype_predefined(MPI_BYTE));
        packed_put(s, from, packed_order(s, hosts, call->root), s->size, all);
    }
    packed_scatter_by(s, hosts, each, all, call->out, call->root);
}

static void scatter_tree(struct schedule *s, const struct coll_call *call)
{
    scatter_packed(s, call, NULL);
}

static void scatter_hosts(struct schedule *s, const struct coll_call *call)
{
    if (call->is_irregular)
        scatter_slots(s, call, host_groups_of(s->comm));
    else
        scatter_packed(s, call, host_groups_of(s->comm));
}

/* All of it comes by every rank: it is little. */
static void scatter_mailbox_tree(struct schedule *s, const struct coll_call *call)
{
    struct coll_block all =
        schedule_scratch(s, (MPI_Count)call->bytes * s->size, datatype_predefined(MPI_BYTE));
    MPI_Count each = all.count / s->size;
    struct in_host host;

    if (s->rank == call->root)
        for (int r = 0; r < s->size; r++)
            schedule_copy(s, block_place_of(&call->places->from, r), block_slice(all, r * each, each));
    in_host_open_all(&host, s, call, call->root);
    in_host_bcast(&host, all);
    in_host_close(&host);
    schedule_keep(s, block_slice(all, s->rank * each, each), call->out);
}

static void scatter_inter(struct schedule *s, const struct coll_call *call)
{
    inter_enter_remote(s);
    for (int r = 0; call->root == MPI_ROOT && r < s->size; r++)
        schedule_send(s, block_place_of(&call->places->from, r), r);
    if (call->root >= 0)
        schedule_recv(s, call->out, call->root);
}

/* Without the root's own block. */
static size_t scatter_blocks_due(const struct shm_run *run, int rank)
{
    (void)rank;
    return run->call->bytes * (size_t)(run->boxes->size - 1);
}

static bool scatter_put_blocks(struct shm_run *run)
{
    struct coll_block in = run->call->in;
    size_t all = block_bytes(in), size = (size_t)run->boxes->size, due = scatter_blocks_due(run, 0);
    size_t bytes = all == run->call->bytes * size ? due : all - all / size, fitting = bytes;
    size_t each = all - bytes, before = each * run->root;

    if (!engine_reserve(run, &fitting, 0))
        return false;
    if (fitting && !run->error) {
        engine_copy_in(run, in, 0, run->payload, before);
        engine_copy_in(run, in, before + each, run->payload + before, bytes - before);
    }
    engine_put(run, fitting);
    engine_check_sent(run, bytes, due);
    return true;
}

static void scatter_take_block(struct shm_run *run)
{
    const struct coll_call *call = run->call;
    int rank = run->boxes->rank;
    MPI_Count each = call->in.count / run->boxes->size;

    if (rank == run->root)
        engine_keep_block(run, block_slice(call->in, rank * each, each), call->out);
    else
        engine_take_block(run, run->root, call->bytes * (size_t)(rank - (rank > run->root)), call->out);
}

/* Of scatterv, of which the root alone knows how many bytes go. Its line has, for each rank, where its bytes end; behind that are the
 * bytes. */
static size_t scatter_table_bytes(const struct shm_run *run)
{
    return (size_t)run->boxes->size * sizeof(uint32_t);
}

static struct coll_block scatter_block_for(const struct shm_run *run, int r)
{
    return r == run->root ? block_empty() : block_place_of(&run->call->places->from, r);
}

static void scatter_pack_any(struct shm_run *run, unsigned char *to)
{
    uint32_t *end = (uint32_t *)(void *)to, at = 0;

    to += scatter_table_bytes(run);
    for (int r = 0; r < run->boxes->size; r++) {
        struct coll_block block = scatter_block_for(run, r);

        engine_copy_in(run, block, 0, to + at, block_bytes(block));
        at += (uint32_t)block_bytes(block);
        end[r] = at;
    }
}

/* All together may be more than can be counted. */
static bool scatter_put_any(struct shm_run *run)
{
    size_t most = run->boxes->shape.segment, bytes = scatter_table_bytes(run);

    for (int r = 0; r < run->boxes->size && bytes <= most; r++) {
        size_t of_rank = block_bytes(scatter_block_for(run, r));

        bytes = of_rank > most - bytes ? most + 1 : bytes + of_rank;
    }
    return irregular_put(run, bytes, most, scatter_pack_any);
}

static void scatter_take_any(struct shm_run *run)
{
    const struct coll_call *call = run->call;
    int rank = run->boxes->rank;

    if (run->irregular->has_messages)
        return; /* its schedule has all that is left to do */
    if (rank == run->root) {
        engine_keep_block(run, block_place_of(&call->places->from, rank), call->out);
    } else {
        const unsigned char *data = mailbox_data(run->boxes, run->root, run->sequence);
        const uint32_t *end = (const void *)data;
        size_t begin = rank ? end[rank - 1] : 0;

        irregular_take(run, run->root, data + scatter_table_bytes(run) + begin, end[rank] - begin, call->out);
    }
}

static const struct shm_step equal_steps[] = {
    {.way = WAY_FROM_ROOT, .put = scatter_put_blocks, .take = scatter_take_block, .due = scatter_blocks_due}};
static const struct shm_step any_steps[] = {
    {.way = WAY_FROM_ROOT, .put = scatter_put_any, .take = scatter_take_any}};

static void scatter_mailbox(struct shm_run *run)
{
    engine_set_steps(run, run->is_irregular ? any_steps : equal_steps, 1);
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
                 .plan = scatter_mailbox},
    [TREE] = {"tree", TRAIT_EQUAL, "blocks travel together along a binomial tree", .build = scatter_tree},
    [HOSTS] = {"hosts", TRAIT_HOSTS, "leaders get what their hosts are to have together, and hand it out",
               .build = scatter_hosts},
    [MAILBOX_TREE] = {"mailbox_tree", TRAIT_TREE,
                      "all blocks go down a tree of the ranks of a host, in its memory; few bytes",
                      .build = scatter_mailbox_tree},
    [STAR] = {"star", 0, "the root sends to all", .build = scatter_star},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 8 * KIB, 2, 2},           {MAILBOX, 0, 32 * KIB, 3, 64},
    {MAILBOX_TREE, 0, SIZE_MAX, 65, 1024}, {HOSTS, 0, 4 * KIB, 5, 16}, /* these: docs/SCALE.md */
    {HOSTS, 0, 64 * KIB, 17, 64},          {HOSTS, 0, 256 * KIB, 65, 255},
    {HOSTS, 0, 512 * KIB, 256, 1023}, /* from here on so much a rank */
    {HOSTS, 0, 2 * MIB, 1024, 4095},       {HOSTS, 0, 8 * MIB, 4096, 16383},
    {HOSTS, 0, 32 * MIB, 16384, INT_MAX},  {TREE, 0, 32 * KIB, 65, 255},
    {TREE, 0, 256 * KIB, 256, 1023},       {TREE, 0, MIB, 1024, 4095},
    {TREE, 0, 4 * MIB, 4096, 16383},       {TREE, 0, 16 * MIB, 16384, INT_MAX},
    {STAR, 0, SIZE_MAX, 1, INT_MAX},
};

const struct choice_list scatter_list = {.name = "scatter",
                                         .collective = COLL_SCATTER,
                                         .algorithm = algorithms,
                                         .algorithms = sizeof algorithms / sizeof *algorithms,
                                         .rule = rules,
                                         .rules = sizeof rules / sizeof *rules,
                                         .inter = scatter_inter};
