#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"
#include "coll/algo/in_host.h"
#include "coll/dispatch.h"
#include "coll/shm/engine.h"
#include "plain/fail.h"

#include <limits.h>
#include <stdint.h>

/* Memory for one portion. */
static struct coll_block portion_scratch(struct schedule *s, struct coll_block whole)
{
    return schedule_scratch(s, block_slice(whole, 0, block_portion(whole.type)).count, whole.type);
}

/* Adds what lies below this rank to `result`, which holds its own input. */
static void scan_chain(struct schedule *s, struct coll_block result)
{
    MPI_Count portion = block_portion(result.type);
    struct coll_block below = {NULL, 0, result.type};

    if (s->rank)
        below = portion_scratch(s, result);
    for (MPI_Count at = 0; at == 0 || at < result.count; at += portion) {
        struct coll_block part = block_slice(result, at, portion), in = block_slice(below, 0, part.count);

        if (s->rank) {
            schedule_recv(s, in, s->rank - 1);
            schedule_wait(s);
            schedule_reduce(s, in, part);
        }
        if (s->rank < s->size - 1)
            schedule_send(s, part, s->rank + 1);
    }
}

/* `upto` is what the next rank gets: what lies below this rank, and its own input. */
static void exscan_portion(struct schedule *s, struct coll_block input, struct coll_block result,
                           struct coll_block upto)
{
    if (!s->rank) {
        if (s->size > 1)
            schedule_send(s, input, 1);
        schedule_wait(s);
        return;
    }
    if (upto.count)
        schedule_copy(s, input, upto);
    schedule_recv(s, result, s->rank - 1);
    schedule_wait(s);
    if (s->rank == s->size - 1)
        return;
    schedule_reduce(s, result, upto);
    schedule_send(s, upto, s->rank + 1);
    schedule_wait(s);
}

/* Two ranks only move the vector: in one message, which both copy at once. */
static void exscan_chain(struct schedule *s, struct coll_block input, struct coll_block result)
{
    MPI_Count portion = s->size > 2 ? block_portion(result.type) : INT64_MAX;
    struct coll_block upto = {NULL, 0, result.type};

    if (s->size == 2)
        s->op = NULL; /* nothing is combined, so what is received needs not lie in one core's cache */
    if (s->rank && s->rank < s->size - 1)
        upto = portion_scratch(s, result);
    for (MPI_Count at = 0; at == 0 || at < result.count; at += portion) {
        struct coll_block part = block_slice(input, at, portion);

        exscan_portion(s, part, block_slice(result, at, portion), block_slice(upto, 0, part.count));
    }
}

/* Ranks form a chain, and each portion of the vector travels along it, so that all ranks work on a long vector at once. 2(n-1) steps for
 * the last rank, but only n-1 messages. */
static void scan_pipeline(struct schedule *s, const struct coll_call *call)
{
    if (call->root) {
        exscan_chain(s, call->in, call->out);
        return;
    }
    if (call->in.at != call->out.at)
        schedule_copy(s, call->in, call->out);
    scan_chain(s, call->out);
}

/* Ranks 1, 2, 4 ... below in turn tell what they and those below them have so far. `sum`, first this rank's own, becomes that with all that
 * is below; `below` is what is below alone, unless nobody is, and may have no items. */
static void double_below(struct schedule *s, struct coll_block sum, struct coll_block below)
{
    struct coll_block theirs = {NULL, 0, sum.type};

    if (s->rank)
        theirs = schedule_scratch(s, sum.count, sum.type);
    for (int distance = 1; distance < s->size; distance *= 2) {
        bool has_below = s->rank >= distance;

        if (has_below)
            schedule_recv(s, theirs, s->rank - distance);
        if (s->rank + distance < s->size)
            schedule_send(s, sum, s->rank + distance);
        schedule_wait(s);
        if (!has_below)
            continue;
        if (distance == 1 && below.count)
            schedule_copy(s, theirs, below);
        else
            schedule_reduce(s, theirs, below);
        schedule_reduce(s, theirs, sum);
    }
}

/* The call as if there were only this team. Returns what comes together up to this rank. */
static struct coll_block scan_team(struct schedule *s, const struct coll_call *call)
{
    struct coll_block sum = call->out, below = {NULL, 0, sum.type};

    if (call->root) {
        below = call->out;
        sum = schedule_scratch(s, below.count, below.type);
    }
    schedule_keep(s, call->in, sum);
    double_below(s, sum, below);
    return sum;
}

static void scan_doubling(struct schedule *s, const struct coll_call *call)
{
    scan_team(s, call);
}

/* Everybody gets the vectors of all, and combines those that it needs: they are few bytes. */
static void scan_mailbox_tree(struct schedule *s, const struct coll_call *call)
{
    MPI_Count each = call->in.count;
    struct coll_block whole = schedule_scratch(s, each * s->size, call->in.type);
    int last = s->rank - call->root;
    struct in_host host;

    in_host_open_all(&host, s, call, 0);
    in_host_gather(&host, call->in, call->in.type, each, whole);
    in_host_bcast(&host, whole);
    in_host_close(&host);
    for (int r = last; r >= 0; r--) {
        struct coll_block one = block_slice(whole, in_host_place(&host, r) * each, each);

        if (r == last)
            schedule_copy(s, one, call->out);
        else
            schedule_reduce(s, one, call->out);
    }
}

/* Within each host; then the last ranks of the hosts tell each other and theirs what is below the host. */
static void scan_hosts(struct schedule *s, const struct coll_call *call)
{
    const struct host_groups *hosts = host_groups_of(s->comm);
    struct schedule_team local = host_groups_local(hosts, s->rank);
    bool is_last = local.me == local.size - 1;
    struct coll_block sum, below = {NULL, 0, call->in.type};
    struct in_host host;

    in_host_open(&host, s, call, local, local.size - 1);
    if (hosts->mine)
        below = schedule_scratch(s, call->in.count, call->in.type);
    schedule_enter(s, local);
    sum = scan_team(s, call);
    if (is_last) {
        schedule_enter(s, host_groups_lasts(s, hosts));
        double_below(s, sum, below);
    }
    schedule_leave(s);
    if (hosts->mine)
        in_host_bcast(&host, below);
    in_host_close(&host);
    if (hosts->mine && call->root && !local.me)
        schedule_copy(s, below, call->out);
    else if (!is_last || call->root)
        schedule_reduce(s, below, call->out);
}

static void scan_combine_below(struct shm_run *run)
{
    engine_combine(run, run->boxes->rank - run->call->root, 0, run->call->out, NULL);
}

static const struct shm_step mailbox_steps[] = {
    {.way = WAY_FROM_BELOW, .put = engine_put_input, .take = scan_combine_below}};

static void scan_mailbox(struct shm_run *run)
{
    engine_set_steps(run, mailbox_steps, 1);
}

/* leaves_out: exscan, whose results leave out the own vector. */
static inline int coll_scan_of(bool leaves_out, const void *sendbuf, struct coll_block result, struct op *op,
                               struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_call call = {.list = &scan_list,
                             .root = leaves_out,
                             .in = sendbuf == MPI_IN_PLACE ? result
                                                           : block_of(sendbuf, result.count, result.type),
                             .out = result,
                             .bytes = block_bytes(result),
                             .op = op};
    int error;

    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "scans are for intracommunicators: two groups have no order");
    error = op_check_items(op, result.count, result.type);
    return error ? error : dispatch_call(comm, &call, form, info, request);
}

int coll_scan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
              struct comm *comm, enum form form, struct info *info, struct request **request)
{
    return coll_scan_of(false, sendbuf, block_of(recvbuf, count, type), op, comm, form, info, request);
}

int coll_exscan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                struct comm *comm, enum form form, struct info *info, struct request **request)
{
    return coll_scan_of(true, sendbuf, block_of(recvbuf, count, type), op, comm, form, info, request);
}

/* The rows of the table. gen/coll_rows.py copies all that follows, without builders and plans, for `inkling coll` and the hint rows. */
enum {
    MAILBOX,
    DOUBLING,
    HOSTS,
    MAILBOX_TREE,
    PIPELINE
};

static const struct choice_algorithm algorithms[] = {
    [MAILBOX] = {"mailbox", TRAIT_MAILBOX, "through memory that the ranks of a host share",
                 .plan = scan_mailbox},
    [DOUBLING] = {"doubling", 0, "log2(ranks) rounds of whole vectors", .build = scan_doubling},
    [HOSTS] = {"hosts", TRAIT_HOSTS | TRAIT_IN_ORDER, "doubling in each host, then between their last ranks",
               .build = scan_hosts},
    [MAILBOX_TREE] = {"mailbox_tree", TRAIT_TREE,
                      "all vectors go up and down a tree of the ranks of a host, in its memory; few bytes",
                      .build = scan_mailbox_tree},
    [PIPELINE] = {"pipeline", 0, "portions travel along a chain of ranks", .build = scan_pipeline},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 4 * KIB, 2, 4},           {MAILBOX_TREE, 0, SIZE_MAX, 17, 1024},
    {HOSTS, 0, 256 * KIB, 5, INT_MAX}, /* these: docs/SCALE.md */
    {DOUBLING, 0, 256 * KIB, 17, INT_MAX}, {PIPELINE, 0, SIZE_MAX, 1, INT_MAX},
};

const struct choice_list scan_list = {.name = "scan",
                                      .collective = COLL_SCAN,
                                      .algorithm = algorithms,
                                      .algorithms = sizeof algorithms / sizeof *algorithms,
                                      .rule = rules,
                                      .rules = sizeof rules / sizeof *rules};
