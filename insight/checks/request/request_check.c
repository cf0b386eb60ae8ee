#include "insight/checks/request/request_check.h"

#include "insight/board/process_record.h"
#include "insight/checks/access/win_conflict.h"
#include "insight/checks/buffer/buffer_use.h"
#include "insight/checks/collective/collective_check.h"
#include "insight/checks/message/message_check.h"
#include "insight/findings/finding.h"
#include "insight/memory/memory_use.h"
#include "insight/objects/collective_buffers.h"
#include "insight/objects/comm_loss.h"
#include "insight/objects/request_record.h"
#include "insight/objects/win_record.h"
#include "insight/order/order_clock.h"

#include <insight/checks.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECORDS = 5 /* in saved[] of a call with an array of requests: their records */
};

/* What each nonblocking message passes has all that is not rare inlined: its many small functions would save and load registers, a
 * tenth of what the checks execute. */
#define MESSAGE_PATH __attribute__((flatten))

int request_check_makes;

void request_check_early(struct intercept *call)
{
    MPI_Comm comm = (MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM);

    for (const struct request_record *r = request_record_active;
         r && comm && call->procedure->family != FAMILY_COMM_FREE; r = r->next)
        if (r->made == comm)
            finding_add(&(struct finding_about){.class = FINDING_REQUEST,
                                                .call = call,
                                                .made = r->base.site,
                                                .made_by = "the call that makes it",
                                                .fix = "complete the request first"},
                        "%s uses the communicator of %s, whose request is not complete",
                        call->procedure->name, r->base.maker->name);
}

static inline void begin_request(struct request_record *r);

static void hold(struct intercept *call, const void *win, const void *buffer, int64_t count,
                 MPI_Datatype type, bool is_written)
{
    struct request_record *r = buffer && count > 0 ? request_record_make(false) : NULL;

    if (!r)
        return;
    r->base.kind = TRACKED_KINDS; /* in no table */
    r->base.site = call->site;
    r->base.maker = call->procedure;
    r->dest = r->source = MPI_PROC_NULL;
    r->win = win;
    r->peer = (int)intercept_argument(call, AT_TARGET);
    r->is_of_file = intercept_has(call, AT_FILE);
    r->buffer = buffer;
    r->count = count;
    r->type = type;
    r->is_written = is_written;
    begin_request(r);
}

void request_check_hold(struct intercept *call, const void *win)
{
    struct origin_buffers b = buffer_use_of_access(call);

    hold(call, win, b.given, b.given_count, b.given_type, false);
    hold(call, win, b.got, b.got_count, b.got_type, true);
}

void request_check_hold_file(struct intercept *call, const void *file)
{
    hold(call, file, (void *)(intptr_t)intercept_argument(call, AT_BUF), intercept_argument(call, AT_COUNT),
         (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE),
         strstr(call->procedure->name, "read") != NULL);
}

/* What the call before MPI learns; the record is made when there is a handle. */
static void want_buffer(struct intercept *call, bool is_written)
{
    buffer_use_buffer(call, AT_BUF, AT_COUNT, AT_TYPE, is_written);
}

static inline struct request_record *add_record(const struct intercept *call, const MPI_Request *request,
                                                MPI_Comm comm, bool is_plain)
{
    struct request_record *r = *request == MPI_REQUEST_NULL ? NULL : request_record_make(is_plain);

    if (!r)
        return NULL;
    request_record_track(r, (uint64_t)(uintptr_t)*request, call);
    r->comm = comm;
    r->variable = request;
    request_table_add(r);
    return r;
}

static struct request_record *add_request(struct intercept *call)
{
    struct request_record *r =
        add_record(call, (MPI_Request *)(intptr_t)intercept_argument(call, AT_NEW_REQUEST),
                   (MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM), false);

    if (r &&
        (call->procedure->family == FAMILY_COMM_IMAKE || call->procedure->family == FAMILY_COMM_ISHRINK)) {
        r->made = *(MPI_Comm *)(intptr_t)intercept_argument(call, AT_NEW);
        request_check_makes++;
    }
    return r;
}

static inline void begin_request(struct request_record *r)
{
    r->is_active = true;
    r->thread = r->buffer && stack_frame_is_above((uintptr_t)r->buffer) ? stack_frame_thread() : NULL;
    request_memory_take(r);
    if (r->buffer && !r->is_written)
        r->sum = request_active_sum_of(r);
    if (!r->is_plain && r->sent_buffer)
        r->sent_sum = type_check_checksum(r->sent_buffer, r->sent_count, r->sent_type);
    if (!r->is_plain)
        blocks_begin(r->sent_blocks);
    buffer_watch_begin(r);
    r->next = request_record_active;
    r->before = NULL;
    if (request_record_active)
        request_record_active->before = r;
    request_record_active = r;
}

static inline __attribute__((always_inline)) void end_request(struct request_record *r)
{
    request_memory_give_back(r);
    buffer_watch_end(r);
    if (r->next)
        r->next->before = r->before;
    if (r->before)
        r->before->next = r->next;
    else
        request_record_active = r->next;
    r->is_active = false;
}

static void describe_operation(struct request_record *r, const struct intercept *call)
{
    bool receives = intercept_has(call, AT_SOURCE) && !intercept_has(call, AT_DEST);

    r->buffer = (void *)(intptr_t)intercept_argument(call, AT_BUF);
    r->count = intercept_argument(call, AT_COUNT);
    r->type = (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE);
    r->is_written = receives || (intercept_has(call, AT_DEST) && intercept_has(call, AT_SOURCE) &&
                                 !intercept_has(call, AT_BUF2));
    r->dest = intercept_has(call, AT_DEST) ? (int)intercept_argument(call, AT_DEST) : MPI_PROC_NULL;
    r->source = intercept_has(call, AT_SOURCE) ? (int)intercept_argument(call, AT_SOURCE) : MPI_PROC_NULL;
    if (!(intercept_has(call, AT_TARGET)) && r->dest == MPI_PROC_NULL && r->source == MPI_PROC_NULL &&
        call->procedure->family != FAMILY_IMRECV)
        r->buffer = NULL; /* nobody uses it */
    r->tag = (int)intercept_argument(call, AT_TAG);
    r->recvtag = (int)intercept_argument(call, AT_RECVTAG);
    if (r->dest != MPI_PROC_NULL)
        r->sent = type_check_signature(r->type, r->count);
    if (r->source != MPI_PROC_NULL)
        r->received = intercept_has(call, AT_BUF2)
                          ? type_check_signature((MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE2),
                                                 intercept_argument(call, AT_COUNT2))
                          : type_check_signature(r->type, r->count);
}

/* Nobody uses that of MPI_PROC_NULL. */
static void look_at_message_buffer(struct intercept *call, const struct typed_buffer *b, int peer,
                                   bool is_written)
{
    call->buffer.low = b->low;
    call->buffer.high = peer == MPI_PROC_NULL ? 0 : b->high;
    call->buffer.is_dense = b->is_dense;
    if (peer != MPI_PROC_NULL)
        buffer_use_look(call, b, is_written);
}

MESSAGE_PATH void request_check_isend(struct intercept *call)
{
    struct message_arguments a = intercept_message(call);
    struct typed_buffer b = type_check_buffer(a.buffer, a.count, a.type);
    struct type_signature s = type_check_signature_of(&b);

    look_at_message_buffer(call, &b, a.peer, false);
    message_check_put_of_call(call, comm_check_find(a.comm), a.peer, a.tag, &s);
}

/* The receive is posted before the library below has it, since it may complete at once. */
MESSAGE_PATH void request_check_irecv(struct intercept *call)
{
    struct message_arguments a = intercept_message(call);
    struct comm_record *comm = comm_check_find(a.comm);
    struct typed_buffer b = type_check_buffer(a.buffer, a.count, a.type);
    struct type_signature s = type_check_signature_of(&b);

    hint_check_wildcards(call, comm, a.peer, a.tag);
    if (process.level == MPI_THREAD_MULTIPLE)
        race_probe_receive(call);
    look_at_message_buffer(call, &b, a.peer, true);
    call->detail = message_check_post(call, comm, a.peer, a.tag, &s);
}

void request_check_isendrecv(struct intercept *call)
{
    bool replaces = !intercept_has(call, AT_BUF2);
    struct comm_record *comm = comm_check_of(call);
    struct type_signature sent = type_check_signature(
        (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE), intercept_argument(call, AT_COUNT));
    struct type_signature received = sent;

    if (!replaces)
        received = type_check_signature((MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE2),
                                        intercept_argument(call, AT_COUNT2));
    if (!replaces)
        buffer_overlap_sendrecv(call);
    want_buffer(call, replaces);
    hint_check_wildcards(call, comm, (int)intercept_argument(call, AT_SOURCE),
                         (int)intercept_argument(call, AT_RECVTAG));
    message_check_put(call, call->procedure, comm, (int)intercept_argument(call, AT_DEST),
                      (int)intercept_argument(call, AT_TAG), &sent, NULL);
    call->detail = message_check_post(call, comm, (int)intercept_argument(call, AT_SOURCE),
                                      (int)intercept_argument(call, AT_RECVTAG), &received);
}

void request_check_imrecv(struct intercept *call)
{
    message_check_taken(call);
    want_buffer(call, true);
}

static int world_rank(MPI_Comm comm, int rank)
{
    const struct comm_record *record = comm_check_find(comm);

    return record ? comm_check_world(record, rank) : -1;
}

/* The last message that was sent, to this rank of MPI_COMM_WORLD, is this one's. */
static void note_message(struct request_record *r, int to)
{
    r->to = to;
    r->message = message_check_last(r->to);
}

static inline void describe_message(struct request_record *r, const struct intercept *call,
                                    const struct message_arguments *a)
{
    r->is_written = call->procedure->family == FAMILY_IRECV;
    r->buffer = a->peer == MPI_PROC_NULL ? NULL : a->buffer; /* nobody uses it */
    r->span.low = call->buffer.low;
    r->span.high = call->buffer.high;
    r->is_dense = call->buffer.is_dense;
    r->count = a->count;
    r->type = a->type;
    r->watched_at = r->sum = r->listed_by = 0;
    r->dest = r->is_written ? MPI_PROC_NULL : a->peer;
    r->source = r->is_written ? a->peer : MPI_PROC_NULL;
    r->tag = r->is_written ? 0 : a->tag;
    r->recvtag = r->is_written ? a->tag : 0;
    r->to = r->dest == MPI_PROC_NULL ? -1 : (int)call->saved[SENT_TO];
    r->message = (uint64_t)call->saved[SENT_NUMBER];
}

/* Nothing is under way. */
__attribute__((noinline)) static void forget_posted(struct intercept *call, int error)
{
    if (call->detail)
        message_check_drop(call->detail);
    if (error && intercept_has(call, AT_DEST))
        message_check_forget(comm_check_of(call), (int)intercept_argument(call, AT_DEST), error);
}

/* The request follows the arguments of the message (gen/insight.py). */
MESSAGE_PATH void request_check_message_posted(struct intercept *call, int error)
{
    struct message_arguments a = intercept_message(call);
    struct request_record *r =
        error ? NULL
              : add_record(call, (MPI_Request *)(intptr_t)call->argument[MESSAGE_ARGUMENTS], a.comm, true);

    if (!r) {
        forget_posted(call, error);
        return;
    }
    describe_message(r, call, &a);
    r->posted = call->detail;
    begin_request(r);
}

void request_check_posted(struct intercept *call, int error)
{
    struct request_record *r = error ? NULL : add_request(call);

    if (!r) {
        forget_posted(call, error);
        return;
    }
    describe_operation(r, call);
    if (call->procedure->family == FAMILY_IMRECV)
        r->is_written = true;
    r->posted = call->detail;
    r->to = -1;
    if (r->dest != MPI_PROC_NULL)
        note_message(r, world_rank(r->comm, r->dest));
    begin_request(r);
}

static bool accesses_file(const struct intercept *call)
{
    return intercept_has(call, AT_FILE) && intercept_has(call, AT_BUF);
}

static bool reads_file(const struct intercept *call)
{
    return strstr(call->procedure->name, "read") != NULL;
}

void request_check_init(struct intercept *call)
{
    if (accesses_file(call))
        want_buffer(call, reads_file(call));
}

static void describe_file_access(struct request_record *r, const struct intercept *call)
{
    r->is_of_file = true;
    r->buffer = (void *)(intptr_t)intercept_argument(call, AT_BUF);
    r->count = intercept_argument(call, AT_COUNT);
    r->type = (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE);
    r->is_written = reads_file(call);
}

static void find_sent(const struct intercept *call, struct request_record *r)
{
    struct buffer_block b;

    if (!blocks_sent_as_one(call, &b))
        return;
    r->sent_buffer = b.buffer;
    r->sent_count = b.count;
    r->sent_type = b.type;
}

static bool makes_persistent(enum family family)
{
    return family == FAMILY_SEND_INIT || family == FAMILY_RECV_INIT || family == FAMILY_PARTITIONED ||
           family == FAMILY_COLLECTIVE_INIT;
}

static void describe_collective(struct request_record *r, const struct intercept *call)
{
    const struct comm_record *comm = comm_check_of(call);
    struct buffer_block w;

    r->number = (uint64_t)call->saved[INTERCEPT_SAVED - 2];
    r->turn = (uint64_t)call->saved[INTERCEPT_SAVED - 1];
    find_sent(call, r);
    if (comm)
        r->sent_blocks = blocks_sent(call, comm);
    if (comm)
        r->arrays = input_arrays_take(call, comm);
    if (call->procedure->family != FAMILY_ICOLLECTIVE)
        return;
    if (comm)
        r->received_blocks = blocks_received(call, comm);
    r->is_written = r->received_blocks;
    if (!blocks_written_as_one(call, &w))
        return;
    r->buffer = w.buffer;
    r->count = w.count;
    r->type = w.type;
    r->is_written = collective_check_takes(call, comm);
    if (!r->is_written)
        r->sent_buffer = NULL; /* a broadcast's root has one buffer */
}

/* Of one that gives and gets the buffer is what it gets. */
static void describe_access(struct request_record *r, const struct intercept *call)
{
    struct origin_buffers b = buffer_use_of_access(call);

    r->win = win_check_find((MPI_Win)(intptr_t)intercept_argument(call, AT_WIN));
    r->peer = (int)intercept_argument(call, AT_TARGET);
    r->access = (uint64_t)call->saved[0];
    r->serial = (uint64_t)call->saved[1];
    r->is_written = b.got;
    r->buffer = b.got ? b.got : b.given;
    r->count = b.got ? b.got_count : b.given_count;
    r->type = b.got ? b.got_type : b.given_type;
    r->sent_buffer = b.got ? b.given : NULL;
    r->sent_count = b.given_count;
    r->sent_type = b.given_type;
}

void request_check_made(struct intercept *call, int error)
{
    enum family family = call->procedure->family;
    struct request_record *r = error ? NULL : add_request(call);

    if (!r)
        return;
    r->dest = r->source = MPI_PROC_NULL;
    r->is_persistent = makes_persistent(family);
    r->is_partitioned = family == FAMILY_PARTITIONED;
    if (r->is_partitioned)
        partition_check_describe(r, call);
    if (r->partitions)
        r->is_written = r->partitions->is_received;
    if (family == FAMILY_ICOLLECTIVE || family == FAMILY_COLLECTIVE_INIT)
        describe_collective(r, call);
    if (family == FAMILY_SEND_INIT || family == FAMILY_RECV_INIT)
        describe_operation(r, call);
    if (family == FAMILY_RMA_REQUEST)
        describe_access(r, call);
    if (accesses_file(call))
        describe_file_access(r, call);
    if (!r->is_persistent)
        begin_request(r);
}

static void start_one(struct intercept *call, MPI_Request request)
{
    struct request_record *r = request_check_find(request);
    struct comm_record *comm = r ? comm_check_find(r->comm) : NULL;

    if (!r || r->is_active || !r->is_persistent)
        return;
    if (r->buffer)
        buffer_use_compare(call, r->buffer, r->count, r->type, r->is_written, r);
    if (r->turn && comm)
        collective_check_begin(call, comm, collective_check_number_of_starts(r->number, r->turn),
                               ++r->starts);
    if (r->turn && comm && comm->assertions & ASSERT_STRICT_ORDERING)
        collective_check_start(call, comm, r->turn);
    order_tell();
    if (r->dest != MPI_PROC_NULL)
        message_check_put(call, r->base.maker, comm, r->dest, r->tag, &r->sent, NULL);
    if (r->dest != MPI_PROC_NULL)
        note_message(r, world_rank(r->comm, r->dest));
    if (r->source != MPI_PROC_NULL) {
        hint_check_wildcards(call, comm, r->source, r->recvtag);
        r->posted = message_check_post(call, comm, r->source, r->recvtag, &r->received);
        message_check_post_again(r->posted, r->base.site);
    }
    if (r->is_partitioned)
        partition_check_start(call, r, comm);
    persistent_check_start(r);
    r->started_at = call->site;
    begin_request(r);
}

void request_check_start(struct intercept *call)
{
    MPI_Request *request = (MPI_Request *)(intptr_t)intercept_argument(call, AT_REQUEST);

    if (request)
        start_one(call, *request);
}

void request_check_startall(struct intercept *call)
{
    MPI_Request *request = (MPI_Request *)(intptr_t)intercept_argument(call, AT_REQUESTS);

    for (int64_t i = 0; request && i < intercept_argument(call, AT_TOTAL); i++)
        start_one(call, request[i]);
}

/* What was refused is not under way. */
static void stop_one(MPI_Request request, const struct intercept *call, int error)
{
    struct request_record *r = request_check_find(request);

    if (!r || !r->is_active || !r->is_persistent || r->started_at != call->site)
        return;
    end_request(r);
    if (r->posted)
        message_check_abandon(r->posted);
    r->posted = NULL;
    if (r->dest != MPI_PROC_NULL)
        message_check_forget(comm_check_find(r->comm), r->dest, error);
}

void request_check_started(struct intercept *call, int error)
{
    const MPI_Request *request = (MPI_Request *)(intptr_t)intercept_argument(
        call, intercept_has(call, AT_REQUESTS) ? AT_REQUESTS : AT_REQUEST);
    int64_t count = intercept_has(call, AT_TOTAL) ? intercept_argument(call, AT_TOTAL) : 1;

    for (int64_t i = 0; error && request && i < count; i++)
        stop_one(request[i], call, error);
}

/* The program still has to wait for the request, which uses no memory any more. */
static void release_buffers(struct intercept *call, struct request_record *r)
{
    request_memory_give_back(r);
    buffer_watch_end(r);
    request_active_sum_compare(call, r);
    r->buffer = r->sent_buffer = NULL;
    r->sum = r->sent_sum = 0;
    r->win = NULL;
    r->is_watched = false;
}

void request_check_release(struct intercept *call, const void *win, int target)
{
    for (struct request_record *r = request_record_active, *next; r; r = next) {
        next = r->next;
        if (r->win != win || (target >= 0 && r->peer != target))
            continue;
        if (r->base.kind == TRACKED_REQUEST) {
            release_buffers(call, r);
            continue;
        }
        end_request(r);
        request_active_sum_compare(call, r);
        request_record_free(r);
    }
}

static inline void free_request(struct request_record *r)
{
    request_table_remove(r);
    if (!r->is_plain) {
        free(r->arrays);
        free(r->sent_blocks);
        free(r->received_blocks);
    }
    request_record_free(r);
}

/* What no plain message has. */
__attribute__((noinline)) static void complete_rare(struct intercept *call, struct request_record *r,
                                                    int error)
{
    input_arrays_compare(call, r->arrays, &r->base);
    if (r->turn || r->base.maker->family == FAMILY_COMM_IAGREE)
        order_learn_all(comm_check_find(r->comm));
    if (r->is_partitioned)
        partition_check_done(call, r, error);
    request_check_makes -= r->made != NULL;
    if (r->made && error)
        comm_check_not_made(r->made);
    else if (r->base.maker->family == FAMILY_COMM_ISHRINK)
        comm_record_shrink(r->made);
    if (r->access)
        win_check_fetched(r->access, r->serial);
}

static void complete_send(const struct intercept *call, const struct request_record *r)
{
    if (call->procedure->family == FAMILY_WAIT || call->procedure->family == FAMILY_WAITALL)
        buffering_check_sent(call, r->base.maker, r->to, r->message);
    message_check_acknowledged(r->base.maker, r->to);
}

/* The operation is complete. */
static void complete_request(struct intercept *call, struct request_record *r, const MPI_Status *status,
                             int error)
{
    if (!r || !r->is_active || request_active_is_pending(call, r, error))
        return;
    if (error)
        call->saved[3] = (int64_t)(intptr_t)r->base.site;
    if (error)
        call->saved[4] = r->turn > 0; /* of a collective */
    end_request(r);
    request_active_sum_compare(call, r);
    if (!r->is_plain)
        complete_rare(call, r, error);
    if (r->posted)
        message_check_done(call, r->posted, status, error);
    r->posted = NULL;
    if (r->dest != MPI_PROC_NULL && r->to >= 0 && !error && !r->is_partitioned)
        complete_send(call, r);
    if (!r->is_persistent) {
        request_record_untrack(r);
        free_request(r);
    }
}

void request_check_wait(struct intercept *call)
{
    MPI_Request *request = (MPI_Request *)(intptr_t)intercept_argument(call, AT_REQUEST);
    struct request_record *r = request ? request_table_find((uint64_t)(uintptr_t)*request, request) : NULL;

    call->saved[0] = request ? (int64_t)(intptr_t)*request : 0;
    call->saved[1] = r ? (int64_t)(intptr_t)r->comm : 0;
    call->detail = r;
    request_memory_look(call, r);
    intercept_want_status(call);
    if (r && call->procedure->family == FAMILY_WAIT) {
        request_active_look_at_wait(call, r, request);
        persistent_check_wait(call, request, 1);
    }
}

void request_check_waited(struct intercept *call, int error)
{
    if (intercept_has(call, AT_FLAG) && !error && !*(int *)(intptr_t)intercept_argument(call, AT_FLAG))
        return;
    complete_request(call,
                     request_table_find((uint64_t)call->saved[0],
                                        (MPI_Request *)(intptr_t)intercept_argument(call, AT_REQUEST)),
                     (MPI_Status *)(intptr_t)intercept_argument(call, AT_STATUS), error);
    message_check_resolve(call);
}

/* Memory of this thread for as many handles, records and statuses as a call has. */
static bool make_room(struct intercept *call, int64_t count)
{
    static __thread struct {
        int64_t *handle;
        struct request_record **record;
        MPI_Status *status;
        int64_t count;
    } room __attribute__((tls_model("initial-exec")));

    if (count > room.count) {
        free(room.handle);
        free(room.record);
        free(room.status);
        room.handle = tracked_must(malloc((size_t)count * sizeof *room.handle));
        room.record = tracked_must(malloc((size_t)count * sizeof(struct request_record *)));
        room.status = tracked_must(malloc((size_t)count * sizeof *room.status));
        room.count = room.handle && room.record && room.status ? count : 0;
    }
    call->many = room.handle;
    call->saved[2] = (int64_t)(intptr_t)room.status;
    call->saved[RECORDS] = (int64_t)(intptr_t)room.record;
    return count <= room.count && count > 0;
}

static void look_at_listed(struct intercept *call, struct request_record *r, uint64_t list)
{
    if (!r)
        return;
    if (!call->detail) {
        call->detail = r;
        call->saved[1] = (int64_t)(intptr_t)r->comm;
    }
    request_memory_look(call, r);
    if (call->procedure->family == FAMILY_WAITALL)
        request_active_look_at_listed(call, r, list);
}

MESSAGE_PATH void request_check_waitall(struct intercept *call)
{
    const MPI_Request *request = (MPI_Request *)(intptr_t)intercept_argument(call, AT_REQUESTS);
    int64_t count = intercept_argument(call, AT_TOTAL);
    struct request_record **record;
    static uint64_t lists;

    call->many = NULL;
    if (!request || !make_room(call, count)) {
        call->many = NULL;
        return;
    }
    memcpy(call->many, request, (size_t)count * sizeof *request);
    record = (struct request_record **)(intptr_t)call->saved[RECORDS];
    lists++;
    for (int64_t i = 0; i < count; i++) {
        record[i] = request_table_find((uint64_t)(uintptr_t)request[i], &request[i]);
        if (record[i] && record[i]->listed_by == lists)
            call->saved[RECORDS] = 0; /* twice: it is gone when the first is complete */
        look_at_listed(call, record[i], lists);
    }
    if (intercept_has(call, AT_STATUSES) &&
        (MPI_Status *)(intptr_t)intercept_argument(call, AT_STATUSES) == MPI_STATUSES_IGNORE) {
        call->ignores_status = true;
        call->argument[(int)call->procedure->at[AT_STATUSES]] = call->saved[2];
    }
    if (intercept_has(call, AT_STATUS))
        intercept_want_status(call);
    if (call->procedure->family == FAMILY_WAITALL)
        persistent_check_wait(call, request, count);
}

static struct request_record *find_listed(const struct intercept *call, int64_t index)
{
    return request_table_find((uint64_t)call->many[index],
                              (MPI_Request *)(intptr_t)intercept_argument(call, AT_REQUESTS) + index);
}

/* As they were found before the call, where no other thread can have completed one since. */
static struct request_record *const *records_of_call(const struct intercept *call)
{
    return call->procedure->family == FAMILY_WAITALL && !thread_check_is_shared()
               ? (struct request_record **)(intptr_t)call->saved[RECORDS]
               : NULL;
}

MESSAGE_PATH void request_check_waitedall(struct intercept *call, int error)
{
    const MPI_Status *status = (MPI_Status *)(intptr_t)intercept_argument(call, AT_STATUSES);
    struct request_record *const *record = records_of_call(call);
    int class = MPI_SUCCESS;

    if (!call->many ||
        (intercept_has(call, AT_FLAG) && !error && !*(int *)(intptr_t)intercept_argument(call, AT_FLAG)))
        return;
    if (error)
        real.Error_class(error, &class);
    if (error && class != MPI_ERR_IN_STATUS)
        return;
    for (int64_t i = 0; i < intercept_argument(call, AT_TOTAL); i++)
        if (!error || status[i].MPI_ERROR != MPI_ERR_PENDING)
            complete_request(call, record ? record[i] : find_listed(call, i), &status[i],
                             error ? status[i].MPI_ERROR : 0);
    message_check_resolve(call);
}

void request_check_waitedany(struct intercept *call, int error)
{
    bool is_known = !error || comm_loss_of_error(error) != LOSS_NOT;
    int index = is_known ? *(int *)(intptr_t)intercept_argument(call, AT_INDEX) : MPI_UNDEFINED;

    if (call->many && index >= 0 && index < intercept_argument(call, AT_TOTAL) && index != MPI_UNDEFINED &&
        !(intercept_has(call, AT_FLAG) && !*(int *)(intptr_t)intercept_argument(call, AT_FLAG)))
        complete_request(call, find_listed(call, index),
                         (MPI_Status *)(intptr_t)intercept_argument(call, AT_STATUS), error);
    message_check_resolve(call);
}

void request_check_waitedsome(struct intercept *call, int error)
{
    int class = MPI_SUCCESS, count;
    const int *index = (int *)(intptr_t)intercept_argument(call, AT_INDICES);
    const MPI_Status *status = (MPI_Status *)(intptr_t)intercept_argument(call, AT_STATUSES);

    if (error)
        real.Error_class(error, &class);
    count =
        !error || class == MPI_ERR_IN_STATUS ? *(int *)(intptr_t)intercept_argument(call, AT_OUTCOUNT) : 0;
    for (int i = 0; call->many && count != MPI_UNDEFINED && i < count; i++)
        complete_request(call, find_listed(call, index[i]), &status[i], error ? status[i].MPI_ERROR : 0);
    message_check_resolve(call);
}

/* A request that is freed while active is never waited for; only a send may end that way. */
void request_check_free(struct intercept *call)
{
    MPI_Request *request = (MPI_Request *)(intptr_t)intercept_argument(call, AT_REQUEST);
    struct request_record *r = request ? request_table_find((uint64_t)(uintptr_t)*request, request) : NULL;

    if (!r)
        return;
    if (r->is_active && (r->is_written || r->turn) && (r->source != MPI_PROC_NULL || r->turn))
        finding_add(
            &(struct finding_about){.class = FINDING_REQUEST,
                                    .call = call,
                                    .made = r->base.site,
                                    .made_by = "the receive",
                                    .fix = "wait for it: nothing else tells when the buffer has the message"},
            r->turn ? "the request of a collective under way is freed"
                    : "the request of a receive under way is freed");
    if (r->is_active && r->base.maker->family == FAMILY_RMA_REQUEST)
        finding_add(
            &(struct finding_about){.class = FINDING_REQUEST,
                                    .call = call,
                                    .made = r->base.site,
                                    .made_by = "the access",
                                    .fix = "wait for it, also after a flush (MPI-5.0 section 12.3.5)"},
            "the request of %s is freed, which is erroneous", r->base.maker->name);
    if (r->is_active)
        end_request(r);
    if (r->posted)
        message_check_abandon(r->posted);
    persistent_check_end(r);
    input_arrays_compare(call, r->arrays, &r->base);
    request_record_untrack(r);
    free(r->partitions);
    free_request(r);
}

/* Which of two cancelled messages was sent is not known. */
void request_check_cancel(struct intercept *call)
{
    MPI_Request *request = (MPI_Request *)(intptr_t)intercept_argument(call, AT_REQUEST);
    struct request_record *r = request ? request_check_find(*request) : NULL;

    message_check_cancels = true;
    if (r && r->dest != MPI_PROC_NULL)
        message_check_forget(comm_check_find(r->comm), r->dest, MPI_SUCCESS);
}
