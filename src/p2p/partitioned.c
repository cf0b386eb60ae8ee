/* Partitioned communication (MPI-5.0 chapter 4) over ordinary messages on planes of its own.
 *
 * - Psend_init tells the receiver, under the user's tag on PLANE_SETUP, into how many partitions of what size
 *   the message is cut, and the tag of the first one. Precv_init posts the receive for that, so inits match
 *   in their order.
 * - Pready(i) sends partition i with tag first + i on PLANE_PARTITION.
 * - Start of a receive posts one receive per partition of the *sender*, straight into the buffer, as soon as
 *   the setup is known: now, or in parts_poll. Rounds stay apart since messages with one tag do not overtake
 *   each other.
 *
 * Tags are counted up per process and start again at 0 after 2^31 partitions.
 *
 * Lock: ready flags are atomic; the lock of `waiting` guards the receives that wait for their setup, and is
 * taken before the lock of a lane.
 */
#include "p2p/lost.h"
#include "p2p/multi_request.h"
#include "plain/fail.h"
#include "progress/poll_queue.h"

#include <stdlib.h>
#include <string.h>

/* Payload on PLANE_SETUP. */
struct setup {
    uint64_t bytes; /* of one of the sender's partitions */
    int32_t first_tag, partitions;
};

struct parts {
    void *buf;
    MPI_Count count;       /* items of one partition */
    struct datatype *type; /* referenced */
    int partitions, rank, tag;
    size_t bytes; /* of one partition */
    bool is_send;
    struct setup setup;
    int setup_error; /* it will not come */

    _Atomic bool *ready; /* send: by partition */

    _Atomic bool is_known, is_posted; /* receive: setup is here; the round's receives are in `child` */
    struct request **child;           /* by the sender's partition, referenced; NULL until known */
    unsigned char *packed;            /* the message of a type that is not dense; NULL: not needed */
    struct link waiting;              /* in the list of those that wait for their setup */
    struct request *request;
};

/* Lives in request->space. */
struct partitioned {
    struct multi_request multi_request;
    struct parts *parts; /* owned */
};

static struct poll_queue waiting = POLL_QUEUE_INIT(waiting);

static struct parts *partitioned_parts_of(struct request *r)
{
    return ((struct partitioned *)(void *)r->space)->parts;
}

static size_t total_of(const struct parts *p)
{
    return p->bytes * (size_t)p->partitions;
}

static void forget_children(struct parts *p)
{
    for (int i = 0; p->child && i < p->setup.partitions; i++) {
        if (p->child[i])
            request_unref(p->child[i]);
        p->child[i] = NULL;
    }
}

static void parts_free(struct parts *p)
{
    forget_children(p);
    free(p->child);
    free(p->packed);
    free((void *)p->ready);
    datatype_unref(p->type);
    free(p);
}

static void partitioned_release(struct request *r)
{
    parts_free(partitioned_parts_of(r));
    multi_request_release(r);
}

/* Start. */

static int partitioned_start_send(struct request *r)
{
    struct parts *p = partitioned_parts_of(r);

    for (int i = 0; i < p->partitions; i++)
        atomic_store_explicit(&p->ready[i], false, memory_order_relaxed);
    multi_request_start(r, p->partitions);
    return MPI_SUCCESS;
}

/* Where the sender's partition i goes; clipped to the room there is. */
static struct request *post_partition(struct request *r, int i)
{
    struct parts *p = partitioned_parts_of(r);
    size_t total = total_of(p), begin = p->setup.bytes * (size_t)i, bytes = p->setup.bytes;
    unsigned char *to = p->packed ? p->packed : p->buf;
    struct request *child;
    int error;

    if (begin > total)
        begin = total;
    if (bytes > total - begin)
        bytes = total - begin;
    error = p2p_irecv(to ? to + begin : to, (MPI_Count)bytes, datatype_predefined(MPI_BYTE), p->rank,
                      p->setup.first_tag + i, multi_request_of(r)->comm, PLANE_PARTITION, &child);
    if (error) {
        multi_request_fail(r, error);
        return NULL;
    }
    request_ref(child);
    multi_request_add(r, child);
    return child;
}

/* The setup is known: posts the round's receives in place of the one child that stood for them. */
static void post_partitions(struct request *r)
{
    struct parts *p = partitioned_parts_of(r);
    int senders = p->setup.partitions;

    if (p->setup_error) {
        multi_request_fail(r,
                           fail(p->setup_error, "rank %d cannot say how it sends its partitions", p->rank));
        return;
    }
    if (!p->child)
        p->child = calloc((size_t)senders, sizeof(struct request *));
    if (!p->child) {
        multi_request_fail(r, fail(MPI_ERR_NO_MEM, "no memory for %d receives", senders));
        return;
    }
    multi_request_expect(r, senders);
    for (int i = 0; i < senders; i++)
        p->child[i] = post_partition(r, i);
    atomic_store_explicit(&p->is_posted, true, memory_order_release); /* pairs with p2p_parrived */
    if (total_of(p) != p->setup.bytes * (size_t)senders)
        multi_request_fail(r,
                           fail(MPI_ERR_TRUNCATE,
                                "the sender's %d partitions of %llu bytes are not the receiver's %d of %zu",
                                senders, (unsigned long long)p->setup.bytes, p->partitions, p->bytes));
    else
        multi_request_fail(r, MPI_SUCCESS);
}

static int partitioned_start_recv(struct request *r)
{
    struct parts *p = partitioned_parts_of(r);

    forget_children(p);
    atomic_store_explicit(&p->is_posted, false, memory_order_relaxed);
    multi_request_start(r, 1);
    if (atomic_load_explicit(&p->is_known, memory_order_acquire)) {
        post_partitions(r);
        return MPI_SUCCESS;
    }
    lock_take(&waiting.lock);
    request_ref(r);
    poll_queue_add(&waiting, &p->waiting, false);
    lock_release(&waiting.lock);
    return MPI_SUCCESS;
}

/* Poller: posts the receives whose setup has come. */
static int parts_poll(bool all)
{
    struct link *next;
    int events = 0;

    (void)all;
    if (!poll_queue_count(&waiting))
        return 0;
    lock_take(&waiting.lock);
    for (struct link *l = waiting.entries.next; l != &waiting.entries; l = next) {
        struct parts *p = LIST_ENTRY(l, struct parts, waiting);

        next = l->next;
        if (!atomic_load_explicit(&p->is_known, memory_order_acquire))
            continue;
        poll_queue_remove(&waiting, l);
        post_partitions(p->request);
        request_unref(p->request);
        events++;
    }
    lock_release(&waiting.lock);
    return events;
}

/* Every child of a receive is done. */
static void finish_recv(struct request *r)
{
    struct parts *p = partitioned_parts_of(r);
    MPI_Count total = (MPI_Count)total_of(p);

    r->status = status_empty;
    r->status.source = p->rank;
    if (p->rank == MPI_PROC_NULL)
        return;
    r->status.tag = p->tag;
    r->status.bytes = total;
    if (p->packed && !multi_request_of(r)->error)
        multi_request_of(r)->error = datatype_copy_kinds(
            p->packed, total, datatype_predefined(MPI_BYTE), p->buf, p->count * p->partitions, p->type,
            hint_buffer_kinds(&multi_request_of(r)->comm->hints));
}

/* Init. */

static const struct request_ops send_ops = {.start = partitioned_start_send, .release = partitioned_release};
static const struct request_ops recv_ops = {.start = partitioned_start_recv, .release = partitioned_release};

static int partitioned_check(int partitions, MPI_Count count, const struct datatype *type, size_t *bytes)
{
    size_t total;
    int error = datatype_bytes(type, count, bytes);

    if (error)
        return error;
    if (partitions <= 0)
        return fail(MPI_ERR_ARG, "%d partitions: there must be at least one", partitions);
    if (__builtin_mul_overflow(*bytes, (size_t)partitions, &total) || total > INT64_MAX)
        return fail(MPI_ERR_COUNT, "%d partitions of %zu bytes are more than 64 bits can count", partitions,
                    *bytes);
    return MPI_SUCCESS;
}

static int parts_new(void *buf, int partitions, MPI_Count count, struct datatype *type, int rank, int tag,
                     struct parts **parts)
{
    size_t bytes;
    int error = partitioned_check(partitions, count, type, &bytes);
    struct parts *p = error ? NULL : calloc(1, sizeof *p);

    if (error)
        return error;
    if (!p)
        return fail(MPI_ERR_NO_MEM, "no memory for a partitioned request");
    *p = (struct parts){.buf = buf, .count = count, .type = type, .partitions = partitions};
    p->rank = rank;
    p->tag = tag;
    p->bytes = bytes;
    list_init(&p->waiting);
    datatype_ref(type);
    *parts = p;
    return MPI_SUCCESS;
}

/* Takes over the parts, also when it fails. */
static int partitioned_new(const struct request_ops *ops, struct parts *p, struct comm *comm,
                           struct request **r)
{
    int error = multi_request_new(REQUEST_PARTITIONED, ops, comm, r);

    if (error) {
        parts_free(p);
        return error;
    }
    ((struct partitioned *)(void *)(*r)->space)->parts = p;
    p->request = *r;
    (*r)->persistent = true;
    return MPI_SUCCESS;
}

static int32_t take_tags(int partitions)
{
    static struct lock receiving = LOCK_INIT; /* guards: */
    static int32_t next;
    int32_t first;

    lock_take(&receiving);
    if (partitions > INT32_MAX - next)
        next = 0;
    first = next;
    next += partitions;
    lock_release(&receiving);
    return first;
}

int p2p_psend_init(const void *buf, int partitions, MPI_Count count, struct datatype *type, int dest, int tag,
                   struct comm *comm, struct request **request)
{
    struct request *r;
    struct parts *p;
    int error = parts_new((void *)(uintptr_t)buf, partitions, count, type, dest, tag, &p);

    if (error)
        return error;
    p->is_send = true;
    p->ready = calloc((size_t)partitions, sizeof *p->ready);
    if (!p->ready) {
        parts_free(p);
        return fail(MPI_ERR_NO_MEM, "no memory for %d partitions", partitions);
    }
    p->setup = (struct setup){p->bytes, take_tags(partitions), partitions};
    error = partitioned_new(&send_ops, p, comm, &r);
    if (error)
        return error;
    error = p2p_send_copy(&p->setup, sizeof p->setup, datatype_predefined(MPI_BYTE), dest, tag, comm,
                          PLANE_SETUP);
    if (error) {
        request_unref(r);
        return error;
    }
    *request = r;
    return MPI_SUCCESS;
}

/* The setup has come; also to a request that has been freed meanwhile. */
static void setup_done(struct request *child, void *context)
{
    struct request *r = context;

    partitioned_parts_of(r)->setup_error = child->status.error;
    atomic_store_explicit(&partitioned_parts_of(r)->is_known, true, memory_order_release);
    request_unref(child);
    request_unref(r);
}

/* From MPI_PROC_NULL comes one partition without data. */
static int await_setup(struct request *r, struct parts *p)
{
    struct request *child;
    int error;

    if (p->rank == MPI_PROC_NULL) {
        p->setup = (struct setup){total_of(p), 0, 1};
        atomic_store_explicit(&p->is_known, true, memory_order_relaxed);
        return MPI_SUCCESS;
    }
    poll_queue_register(&waiting, parts_poll);
    error = p2p_irecv(&p->setup, sizeof p->setup, datatype_predefined(MPI_BYTE), p->rank, p->tag,
                      multi_request_of(r)->comm, PLANE_SETUP, &child);
    if (error)
        return error;
    request_ref(r);
    transfer_on_done(child, setup_done, r);
    return MPI_SUCCESS;
}

int p2p_precv_init(void *buf, int partitions, MPI_Count count, struct datatype *type, int source, int tag,
                   struct comm *comm, struct request **request)
{
    struct request *r;
    struct parts *p;
    int error = parts_new(buf, partitions, count, type, source, tag, &p);

    if (error)
        return error;
    error = type->size ? datatype_check_receive(type, count * partitions) : MPI_SUCCESS;
    if (error) {
        parts_free(p);
        return error;
    }
    if (!type->dense && total_of(p) && !(p->packed = malloc(total_of(p)))) {
        parts_free(p);
        return fail(MPI_ERR_NO_MEM, "no memory to receive %d partitions of %zu bytes", partitions, p->bytes);
    }
    error = partitioned_new(&recv_ops, p, comm, &r);
    if (error)
        return error;
    multi_request_of(r)->end = finish_recv;
    error = await_setup(r, p);
    if (error) {
        request_unref(r);
        return error;
    }
    *request = r;
    return MPI_SUCCESS;
}

/* Pready and Parrived. */

static int send_partition(struct request *r, struct parts *p, int i)
{
    struct request *child;
    const char *from = p->buf;
    int error;

    error =
        p2p_isend(from ? from + (MPI_Count)i * p->count * p->type->extent : from, p->count, p->type, p->rank,
                  p->setup.first_tag + i, multi_request_of(r)->comm, PLANE_PARTITION, SEND_STANDARD, &child);
    if (!error)
        multi_request_add(r, child);
    return error;
}

static int check_partition(const struct parts *p, int i)
{
    return i >= 0 && i < p->partitions
               ? MPI_SUCCESS
               : fail(MPI_ERR_ARG, "partition %d: the request has 0 to %d", i, p->partitions - 1);
}

static int mark(struct parts *p, int i)
{
    int error = check_partition(p, i);

    if (!error && atomic_exchange_explicit(&p->ready[i], true, memory_order_relaxed))
        error = fail(MPI_ERR_ARG, "partition %d was marked ready before in this round", i);
    return error;
}

/* The k-th of a list of partitions, or of the range that begins at `low`. */
static int partition_at(const int *list, int low, int k)
{
    return list ? list[k] : low + k;
}

/* The receiver is lost: ends the round, also without the partitions that are not ready. */
static void partitioned_end_round(struct request *r, struct parts *p, int error)
{
    for (int i = 0; i < p->partitions; i++)
        if (!atomic_exchange_explicit(&p->ready[i], true, memory_order_relaxed))
            multi_request_fail(r, error);
}

/* All are marked before one is sent, so that a wrong one leaves nothing behind. */
static int ready(struct request *r, const int *list, int low, int count)
{
    struct parts *p = partitioned_parts_of(r);
    int marked = 0, sent = 0,
        error = lost_is_cause(multi_request_of(r)->error) ? multi_request_of(r)->error : 0;

    if (error) /* see partitioned_end_round */
        return fail(error, "rank %d is lost", p->rank);
    while (!error && marked < count) {
        error = mark(p, partition_at(list, low, marked));
        marked += !error;
    }
    while (!error && sent < count) {
        error = send_partition(r, p, partition_at(list, low, sent));
        sent += !error;
    }
    for (int k = sent; k < marked; k++)
        atomic_store_explicit(&p->ready[partition_at(list, low, k)], false, memory_order_relaxed);
    if (lost_is_cause(error))
        partitioned_end_round(r, p, error);
    return error;
}

static int check_send(struct request *r)
{
    if (r->kind != REQUEST_PARTITIONED || !partitioned_parts_of(r)->is_send)
        return fail(MPI_ERR_REQUEST, "the request is not of MPI_Psend_init");
    if (!r->active)
        return fail(MPI_ERR_REQUEST, "the partitioned send is not active: start it first");
    return MPI_SUCCESS;
}

int p2p_pready(int low, int high, struct request *r)
{
    int error = check_send(r);

    if (!error)
        error = check_partition(partitioned_parts_of(r), low);
    if (!error)
        error = check_partition(partitioned_parts_of(r), high);
    return error ? error : ready(r, NULL, low, high - low + 1);
}

int p2p_pready_list(int count, const int *partitions, struct request *r)
{
    int error = check_send(r);

    if (!error && count < 0)
        error = fail(MPI_ERR_ARG, "a list of %d partitions", count);
    if (!error && count && !partitions)
        error = fail(MPI_ERR_ARG, "array_of_partitions is NULL, but length is %d", count);
    return error ? error : ready(r, partitions, 0, count);
}

/* Every partition of the sender that has a part of the receiver's partition i, which may be empty: both cut
 * the same message into equal pieces. */
static bool has_arrived(const struct parts *p, int i)
{
    int64_t begin = (int64_t)i * p->setup.partitions, end = begin + p->setup.partitions;

    for (int64_t k = begin / p->partitions; k * p->partitions < end; k++)
        if (!p->child[k] || !request_is_done(p->child[k]))
            return false;
    return true;
}

static bool has_come(struct request *r, const struct parts *p, int i)
{
    return request_is_done(r) ||
           (!p->packed && atomic_load_explicit(&p->is_posted, memory_order_acquire) && has_arrived(p, i));
}

int p2p_parrived(struct request *r, int partition, int *flag)
{
    struct parts *p = r->kind == REQUEST_PARTITIONED ? partitioned_parts_of(r) : NULL;
    int error;

    if (!p || p->is_send)
        return fail(MPI_ERR_REQUEST, "the request is not of MPI_Precv_init");
    error = check_partition(p, partition);
    if (error)
        return error;
    *flag = !r->active || request_is_done(r);
    if (*flag)
        return MPI_SUCCESS;
    progress_poll();
    *flag = has_come(r, p, partition) || (progress_look_again() && has_come(r, p, partition));
    return MPI_SUCCESS;
}

int p2p_parrived_of_handle(MPI_Request request, int partition, int *flag)
{
    struct request *r = request_find(request);

    if (request == MPI_REQUEST_NULL) {
        *flag = 1;
        return MPI_SUCCESS;
    }
    if (!r)
        return fail(MPI_ERR_REQUEST, "request %p is not a request, or was freed", (void *)request);
    return p2p_parrived(r, partition, flag);
}
