#include "insight/checks/request/request_check.h"

#include "insight/checks/message/message_check.h"
#include "insight/findings/finding.h"
#include "insight/order/order_clock.h"

#include <insight/checks.h>
#include <stdlib.h>
#include <string.h>

/* Partitioned messages match each other only, so theirs is another number of the communicator. */
enum {
    APART = 0x70617274
};

static struct partitions *make_partitions(const struct intercept *call)
{
    int64_t total = intercept_argument(call, AT_PARTITIONS);
    struct partitions *p = calloc(1, sizeof *p + (size_t)total * sizeof *p->sum);

    if (!p)
        return NULL;
    p->buffer = (const char *)(intptr_t)intercept_argument(call, AT_BUF);
    p->count = intercept_argument(call, AT_COUNT);
    p->type = (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE);
    p->total = (int)total;
    p->is_received = !intercept_has(call, AT_DEST);
    return p;
}

static void forget_ready(struct partitions *p)
{
    memset(p->sum, 0, (size_t)p->total * sizeof *p->sum);
}

/* Sends and receives may have other numbers of partitions: all of them together are one message. */
void partition_check_describe(struct request_record *r, const struct intercept *call)
{
    struct type_signature all =
        type_check_signature((MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE),
                             intercept_argument(call, AT_COUNT) * intercept_argument(call, AT_PARTITIONS));

    if (intercept_has(call, AT_DEST)) {
        r->peer = (int)intercept_argument(call, AT_DEST);
        r->tag = (int)intercept_argument(call, AT_TAG);
        r->sent = all;
    } else {
        r->peer = (int)intercept_argument(call, AT_SOURCE);
        r->tag = (int)intercept_argument(call, AT_RECVTAG);
        r->received = all;
    }
    r->partitions = make_partitions(call);
}

/* Up to the first gap. */
static size_t length_of(const struct partitions *p, const struct type_record *type)
{
    return (size_t)(type->is_dense ? p->count * type->extent : type->run[0].length);
}

/* Loads and stores of the program in partitions that have not arrived; and stores in all, until the first has (buffer_watch.c). */
static void watch_partitions(struct request_record *r)
{
    struct partitions *p = r->partitions;
    const struct type_record *type = p->count > 0 ? type_check_find(p->type) : NULL;

    r->buffer = p->buffer;
    r->count = p->count * p->total;
    r->type = p->type;
    for (int i = 0; type && type->runs > 0 && i < PARTITIONS_WATCHED && i < p->total; i++) {
        int partition = i < PARTITIONS_BY_HARDWARE - 1    ? i
                        : i == PARTITIONS_BY_HARDWARE - 1 ? p->total - 1
                                                          : i - 1;

        if (i == PARTITIONS_BY_HARDWARE && !watchpoint_has_all(p->watch[0].watchpoint))
            break;
        p->watch[i].partition = partition;
        p->watch[i].watchpoint =
            watchpoint_set(request_partition_at(p, type, partition) + type->run[0].offset, length_of(p, type),
                           WATCH_ACCESSES);
    }
}

static void unwatch(struct partitions *p, int partition)
{
    for (int i = 0; i < PARTITIONS_WATCHED; i++) {
        if (p->watch[i].partition != partition && partition >= 0)
            continue;
        watchpoint_clear(p->watch[i].watchpoint);
        p->watch[i].watchpoint = 0;
    }
}

void partition_check_unwatch(struct partitions *p)
{
    if (p)
        unwatch(p, -1);
}

bool partition_check_take_hit(const struct partitions *p, struct watchpoint_hit *hit)
{
    for (int i = 0; p && i < PARTITIONS_WATCHED; i++)
        if (watchpoint_take(p->watch[i].watchpoint, hit))
            return true;
    return false;
}

void partition_check_start(struct intercept *call, struct request_record *r, struct comm_record *comm)
{
    struct comm_record apart;

    if (!comm || r->peer == MPI_PROC_NULL)
        return;
    apart = *comm;
    apart.number ^= APART;
    if (r->partitions)
        forget_ready(r->partitions);
    if (r->sent.is_known) {
        message_check_put(call, r->base.maker, &apart, r->peer, r->tag, &r->sent, NULL);
    } else if (r->received.is_known) {
        r->posted = message_check_post(call, comm, r->peer, r->tag, &r->received);
        message_check_post_again(r->posted, r->base.site);
        if (r->posted)
            r->posted->comm = apart.number;
        if (r->partitions)
            watch_partitions(r);
    }
}

static uint64_t sum_of(const struct partitions *p, int partition)
{
    const struct type_record *type = type_check_find(p->type);

    return type ? type_check_checksum(request_partition_at(p, type, partition), p->count, p->type) : 0;
}

/* Stores in it are seen, if it is one of the first. */
static void mark_ready(struct partitions *p, int64_t partition)
{
    const struct type_record *type = p->count > 0 ? type_check_find(p->type) : NULL;

    if (partition < 0 || partition >= p->total)
        return;
    p->sum[partition] = sum_of(p, (int)partition);
    for (int i = 0; type && type->runs > 0 && i < PARTITIONS_WATCHED; i++) {
        if (p->watch[i].watchpoint ||
            (i >= PARTITIONS_BY_HARDWARE && !watchpoint_has_all(p->watch[0].watchpoint)))
            continue;
        p->watch[i].partition = (int)partition;
        p->watch[i].watchpoint =
            watchpoint_set(request_partition_at(p, type, (int)partition) + type->run[0].offset,
                           length_of(p, type), WATCH_STORES);
        return;
    }
}

/* The other side learns what this rank has done before. */
void partition_check_ready(struct intercept *call)
{
    (void)call;
    order_tell();
}

/* The arguments are a partition, the first and the last of a range, or how many and a list. */
void partition_check_made_ready(struct intercept *call, int error)
{
    const struct request_record *r =
        request_check_find((MPI_Request)(intptr_t)intercept_argument(call, AT_REQUEST));
    const char *name = call->procedure->name;
    int64_t first = call->argument[0], second = call->argument[1];

    if (error || !r || !r->partitions || !r->is_active)
        return;
    if (strcmp(name, "MPI_Pready") == 0)
        mark_ready(r->partitions, first);
    for (int64_t i = first; strcmp(name, "MPI_Pready_range") == 0 && i <= second; i++)
        mark_ready(r->partitions, i);
    for (int64_t i = 0; strcmp(name, "MPI_Pready_list") == 0 && i < first; i++)
        mark_ready(r->partitions, ((const int *)(intptr_t)second)[i]);
}

/* The other side has told what it did before. */
static void learn_of_peer(const struct request_record *r)
{
    const struct comm_record *comm = comm_check_find(r->comm);

    if (comm)
        order_learn(comm_check_world(comm, r->peer));
}

void partition_check_arrived(struct intercept *call, int error)
{
    struct request_record *r =
        request_check_find((MPI_Request)(intptr_t)intercept_argument(call, AT_REQUEST));

    int64_t partition = intercept_argument(call, AT_PARTITION);

    if (error || !r || !r->is_partitioned || !*(int *)(intptr_t)intercept_argument(call, AT_FLAG))
        return;
    learn_of_peer(r);
    if (!r->partitions || !r->partitions->is_received || partition < 0 || partition >= r->partitions->total)
        return;
    r->is_watched = false;
    r->partitions->sum[partition] = 1;
    unwatch(r->partitions, (int)partition);
}

void partition_check_done(struct intercept *call, const struct request_record *r, int error)
{
    const struct partitions *p = r->partitions;

    learn_of_peer(r);
    if (error || r->is_blamed || !p || p->is_received ||
        !tracked_find(TRACKED_TYPE, (uint64_t)(uintptr_t)p->type))
        return;
    for (int i = 0; i < p->total; i++) {
        if (!p->sum[i] || p->sum[i] == sum_of(p, i))
            continue;
        finding_add(&(struct finding_about){.class = FINDING_BUFFER,
                                            .call = call,
                                            .made = r->base.site,
                                            .made_by = "the send",
                                            .fix =
                                                "write to a partition before MPI_Pready, or when the send is "
                                                "complete"},
                    "partition %d was written to after MPI_Pready and before the send was complete", i);
        return;
    }
}
