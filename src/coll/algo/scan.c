#include "base/fail.h"
#include "coll/coll.h"
#include "coll/shm/shm_coll.h"

/* Few bytes go through mailboxes, where each rank combines the contributions of those below it. Else ranks form a
 * chain; each portion of the vector travels along it, so that long vectors are worked on by all
 * ranks at once. 2(n-1) steps for the last rank, but only n-1 messages. */

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
            step_recv(s, in, s->rank - 1);
            step_wait(s);
            step_reduce(s, in, part);
        }
        if (s->rank < s->size - 1)
            step_send(s, part, s->rank + 1);
    }
}

/* `upto` is what the next rank gets: what lies below this rank, and its own input. */
static void exscan_portion(struct schedule *s, struct coll_block input, struct coll_block result,
                           struct coll_block upto)
{
    if (!s->rank) {
        if (s->size > 1)
            step_send(s, input, 1);
        step_wait(s);
        return;
    }
    if (upto.count)
        step_copy(s, input, upto);
    step_recv(s, result, s->rank - 1);
    step_wait(s);
    if (s->rank == s->size - 1)
        return;
    step_reduce(s, result, upto);
    step_send(s, upto, s->rank + 1);
    step_wait(s);
}

static void exscan_chain(struct schedule *s, struct coll_block input, struct coll_block result)
{
    MPI_Count portion = block_portion(result.type);
    struct coll_block upto = {NULL, 0, result.type};

    if (s->rank && s->rank < s->size - 1)
        upto = portion_scratch(s, result);
    for (MPI_Count at = 0; at == 0 || at < result.count; at += portion) {
        struct coll_block part = block_slice(input, at, portion);

        exscan_portion(s, part, block_slice(result, at, portion), block_slice(upto, 0, part.count));
    }
}

static int check_scan(const struct op *op, struct datatype *type, const struct comm *comm)
{
    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "scans are for intracommunicators: two groups have no order");
    return op_check(op, type);
}

static int scan_by_shm(struct comm *comm, struct mailboxes *boxes, bool leaves_out, struct coll_block input,
                       struct coll_block result, struct op *op, enum form form, struct request **request)
{
    struct shm_call call = {.collective = COLL_SCAN,
                            .root = leaves_out,
                            .in = input,
                            .out = result,
                            .bytes = block_bytes(input),
                            .op = op};

    return shm_coll_do(comm, boxes, &call, form, request);
}

/* leaves_out: exscan, whose results leave out the own vector. */
static int scan(bool leaves_out, const void *sendbuf, struct coll_block result, struct op *op,
                struct comm *comm, enum form form, struct request **request)
{
    struct coll_block input =
        sendbuf == MPI_IN_PLACE ? result : block_at(sendbuf, 0, result.count, result.type);
    struct mailboxes *boxes;
    struct schedule *s;
    int error = check_scan(op, result.type, comm);

    if (error)
        return error;
    boxes = shm_coll_for_reduction(comm, form, COLL_SCAN, result.count, result.type);
    if (boxes)
        return scan_by_shm(comm, boxes, leaves_out, input, result, op, form, request);
    error = schedule_open(comm, form, op, &s);
    if (error)
        return error;
    if (leaves_out) {
        exscan_chain(s, input, result);
    } else {
        if (sendbuf != MPI_IN_PLACE)
            step_copy(s, input, result);
        scan_chain(s, result);
    }
    return schedule_close(s, request);
}

int coll_scan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
              struct comm *comm, enum form form, struct request **request)
{
    return scan(false, sendbuf, (struct coll_block){recvbuf, count, type}, op, comm, form, request);
}

int coll_exscan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                struct comm *comm, enum form form, struct request **request)
{
    return scan(true, sendbuf, (struct coll_block){recvbuf, count, type}, op, comm, form, request);
}
