/* Scan and exscan: ranks form a chain, and each portion of the vector travels along it, so that all ranks
 * work on a long vector at once. 2(n-1) steps for the last rank, but only n-1 messages. */
#include "coll/coll.h"

#include "coll/algo/algorithm.h"
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
    PIPELINE
};

static const struct choice_algorithm algorithms[] = {
    [MAILBOX] = {"mailbox", TRAIT_MAILBOX, "through memory that the ranks of a host share",
                 .plan = scan_mailbox},
    [PIPELINE] = {"pipeline", 0, "portions travel along a chain of ranks", .build = scan_pipeline},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, 4 * KIB, 2, 4},
    {PIPELINE, 0, SIZE_MAX, 1, INT_MAX},
};

const struct choice_list scan_list = {.name = "scan",
                                      .collective = COLL_SCAN,
                                      .algorithm = algorithms,
                                      .algorithms = sizeof algorithms / sizeof *algorithms,
                                      .rule = rules,
                                      .rules = sizeof rules / sizeof *rules};
