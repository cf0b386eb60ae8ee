#include "insight/checks/request/request_check.h"

#include "insight/checks/buffer/buffer_use.h"
#include "insight/checks/message/message_check.h"
#include "insight/findings/finding.h"
#include "insight/guard/watchpoint.h"
#include "insight/memory/memory_use.h"
#include "insight/objects/info_value.h"
#include "insight/order/order_clock.h"

#include <insight/checks.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOKED = 16,  /* operations: the last ones */
    BYTES = 1024, /* of a buffer */
    ITEMS = 64,   /* of a type with gaps, and runs of one */
    DEAR = 8,     /* sums: where the kernel is to be asked whether the memory is there */
    SUMS = 8192,  /* that a process may take at once; ... */
    EACH = 8      /* ... then one in so many calls */
};

bool buffer_watch_is_wanted;
static uint64_t calls;  /* that ended with buffers watched */
static int sums = SUMS; /* that are left: each costs as much as a small message does */
static int taken;       /* when the last call ended */

/* Run by run; hardware watches the first alone. */
static int watch_runs(const char *buffer, int64_t count, const struct type_record *t,
                      enum watchpoint_kind kind)
{
    int watchpoint = watchpoint_set(buffer + t->run[0].offset, (size_t)t->run[0].length, kind);

    for (int64_t i = 0; watchpoint && i < count && i < ITEMS; i++)
        for (int run = i == 0; run < t->runs && run < ITEMS; run++)
            watchpoint_add(watchpoint, buffer + i * t->extent + t->run[run].offset,
                           (size_t)t->run[run].length);
    return watchpoint;
}

static int watch_start(const void *buffer, int64_t count, MPI_Datatype type, bool is_written)
{
    const struct type_record *t =
        buffer && buffer != MPI_IN_PLACE && count > 0 ? type_check_find(type) : NULL;
    enum watchpoint_kind kind = is_written ? WATCH_ACCESSES : WATCH_STORES;

    if (!t || t->runs <= 0)
        return 0;
    if (t->is_dense)
        return watchpoint_set((const char *)buffer + t->run[0].offset, (size_t)(count * t->extent), kind);
    return watch_runs(buffer, count, t, kind);
}

/* Those of arrays of counts. */
static int watch_blocks(const struct blocks *blocks, bool is_written)
{
    int watchpoint = 0;

    for (int i = 0; blocks && i < blocks->count; i++) {
        const struct buffer_block *b = &blocks->block[i];
        const struct type_record *t = b->buffer && b->count > 0 ? type_check_find(b->type) : NULL;

        if (!t || !t->is_dense)
            continue;
        if (watchpoint)
            watchpoint_add(watchpoint, b->buffer + t->run[0].offset, (size_t)(b->count * t->extent));
        else
            watchpoint = watch_start(b->buffer, b->count, b->type, is_written);
    }
    return watchpoint;
}

__attribute__((noinline)) static void set_watchpoints(struct request_record *r)
{
    if (r->is_partitioned) /* parts of it may be used */
        return;
    r->watchpoint[0] = watch_start(r->buffer, r->count, r->type, r->is_written);
    if (r->is_plain) {
        buffer_watch_is_wanted |= r->watchpoint[0] > 0;
        return;
    }
    r->watchpoint[1] = watch_start(r->sent_buffer, r->sent_count, r->sent_type, false);
    if (!r->watchpoint[0])
        r->watchpoint[0] = watch_blocks(r->received_blocks, true);
    if (!r->watchpoint[1])
        r->watchpoint[1] = watch_blocks(r->sent_blocks, false);
    buffer_watch_is_wanted |= r->watchpoint[0] || r->watchpoint[1];
}

__attribute__((noinline)) static void clear_watchpoints(struct request_record *r)
{
    for (int i = 0; i < 2; i++) {
        if (r->watchpoint[i])
            watchpoint_clear(r->watchpoint[i]);
        r->watchpoint[i] = 0;
    }
    if (r->partitions)
        partition_check_unwatch(r->partitions);
}

void buffer_watch_end(struct request_record *r)
{
    if (r->watchpoint[0] || r->watchpoint[1] || r->partitions)
        clear_watchpoints(r);
}

void buffer_watch_take_hits(void)
{
    struct watchpoint_hit hit;

    for (struct request_record *r = request_check_active(); r; r = r->next) {
        bool is_first =
                 watchpoint_take(r->watchpoint[0], &hit) || partition_check_take_hit(r->partitions, &hit),
             is_stored,
             is_written = is_first && (r->is_written || (r->partitions && r->partitions->is_received));

        if (!is_first && !watchpoint_take(r->watchpoint[1], &hit))
            continue;
        is_stored = !is_written || (hit.is_store && watchpoint_has_all(r->watchpoint[0]));
        r->is_blamed = true;
        buffer_watch_end(r);
        finding_add(&(struct finding_about){.class = FINDING_BUFFER,
                                            .where = hit.at,
                                            .made = r->base.site,
                                            .made_by = "the operation under way",
                                            .fix = "leave the buffer alone until the operation is complete"},
                    is_stored ? "the program wrote to the buffer of %s, which is not complete"
                              : "the program used the buffer of %s, which is not complete",
                    r->base.maker->name);
    }
}

void buffer_watch_begin(struct request_record *r)
{
    uint64_t bytes = 0;

    r->is_watched = r->is_blamed = false;
    r->watch_cost = 0;
    if (watchpoint_is_left())
        set_watchpoints(r);
    if (!r->is_written || !r->buffer || r->count <= 0 || r->is_of_file)
        return; /* a library may read a file at any time */
    bytes = r->is_dense ? r->span.high - r->span.low : type_check_signature(r->type, r->count).bytes;
    r->is_watched = bytes > 0 && bytes <= BYTES;
    buffer_watch_is_wanted |= r->is_watched;
}

/* 0: its type has been freed, or its memory. */
static uint64_t sum_of_watched(const struct request_record *r)
{
    if (r->is_dense)
        return memory_mapped_has(r->span.low, r->span.high) ? type_check_sum_of(r->span.low, r->span.high)
                                                            : 0;
    return tracked_find(TRACKED_TYPE, (uint64_t)(uintptr_t)r->type) &&
                   type_check_is_mapped(r->buffer, r->count, r->type)
               ? type_check_checksum(r->buffer, r->count, r->type)
               : 0;
}

/* Of two sums, this call's and the next one's, in sums. */
static int cost_of(struct request_record *r)
{
    if (r->watch_cost == 0)
        r->watch_cost = r->span.low && memory_mapped_is_lasting(r->span.low, r->span.high) ? 1 : DEAR;
    return r->watch_cost;
}

/* Small messages of this library are copied by their receiver, in its calls, unless a setting says otherwise. */
static bool is_written_in_calls(const struct request_record *r)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "", limit[16] = "";
    int length = 0;
    MPI_Info info;

    real.Get_library_version(version, &length);
    if (!strstr(version, "Inkling") || getenv("INKLING_PROGRESS_THREAD"))
        return false;
    if (r->win || r->access || !r->comm)
        return true;
    if (real.Comm_get_info(r->comm, &info))
        return false;
    info_value_read(info, "inkling_eager_limit", limit, sizeof limit);
    real.Info_free(&info);
    return !*limit || atol(limit) >= BYTES || (atol(limit) > 0 && strpbrk(limit, "KMG"));
}

/* No message that the receive may match had been sent when the change was seen. */
static bool is_not_sent(const struct request_record *r)
{
    const struct comm_record *comm = comm_check_find(r->comm);

    return comm && comm->world && r->posted && !message_check_is_coming(comm, r->source, r->recvtag);
}

static void say_written(struct intercept *call, const struct request_record *r)
{
    finding_add(&(struct finding_about){.class = FINDING_BUFFER,
                                        .call = call,
                                        .made = r->base.site,
                                        .made_by = "the operation under way",
                                        .fix = "leave the buffer alone until the operation is complete"},
                "the program wrote to the buffer of %s, which is not complete, before this call",
                r->base.maker->name);
}

__attribute__((noinline)) static void compare_active(struct intercept *call)
{
    int looked = 0, left = taken;

    for (struct request_record *r = request_check_active(); r && left > 0 && looked < LOOKED;
         r = r->next, looked++) {
        bool is_summed = r->is_watched && r->watched_at == calls;
        uint64_t sum = is_summed ? sum_of_watched(r) : 0;

        left -= is_summed;
        if (!sum || r->is_blamed || sum == r->watched_sum || !(is_not_sent(r) || is_written_in_calls(r)))
            continue;
        say_written(call, r);
        r->is_watched = false;
    }
}

void buffer_watch_compare(struct intercept *call)
{
    if (taken > 0 && !thread_check_is_shared())
        compare_active(call);
}

void buffer_watch_forget(struct intercept *call, int error)
{
    (void)call;
    (void)error;
    for (struct request_record *r = request_check_active(); r && buffer_watch_is_wanted; r = r->next) {
        buffer_watch_end(r);
        r->is_watched = false;
    }
}

__attribute__((noinline)) static void sum_up_active(void)
{
    int looked = 0;

    buffer_watch_is_wanted = false;
    for (struct request_record *r = request_check_active();
         r && looked < LOOKED && (sums > 0 || !buffer_watch_is_wanted); r = r->next, looked++) {
        buffer_watch_is_wanted |= r->watchpoint[0] || r->watchpoint[1];
        if (!r->is_watched)
            continue;
        buffer_watch_is_wanted = true;
        if (sums < cost_of(r))
            continue;
        sums -= cost_of(r);
        r->watched_sum = sum_of_watched(r);
        r->watched_at = calls;
        taken++;
    }
}

void buffer_watch_sum_up(void)
{
    calls++;
    if (calls % EACH == 0 && sums < SUMS)
        sums++;
    taken = 0;
    if (sums > 0) /* else whether buffers are watched is seen when there are some again */
        sum_up_active();
}
