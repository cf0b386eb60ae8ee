#include "insight/observe/observe.h"

#include <stdlib.h>
#include <string.h>

enum {
    PENDING = 4096, /* requests that receive */
    BUCKETS = 4096,
    STREAMS = 16384, /* (communicator, destination, tag) that a message went to */
    LARGE = 65536
};

/* A request of a receive, or one that is started again and again. Owned by call_lock. */
struct observed_request {
    uint64_t handle;
    struct observed_request *next;
    int object;
    int64_t bytes; /* room; -1: not known */
    bool is_persistent, is_active, is_collective;
    bool is_outside; /* a receive into memory that is not of MPI */
    uint64_t number; /* of the persistent collective, in the order of their making */
};

static struct observed_request pool[PENDING], *bucket[BUCKETS], *unused;
static int pool_used;
static uint64_t streams[STREAMS], made_collectives[PROFILE_OBJECTS];

static struct observed_request **find_observed(uint64_t handle)
{
    struct observed_request **place = &bucket[(handle * 0x9e3779b97f4a7c15u) >> 52];

    while (*place && (*place)->handle != handle)
        place = &(*place)->next;
    return place;
}

static void remove_observed(struct observed_request **place)
{
    struct observed_request *gone = *place;

    *place = gone->next;
    gone->next = unused;
    unused = gone;
}

/* NULL: no room. A request of that handle that was left is replaced. */
static struct observed_request *add_observed(uint64_t handle, int object)
{
    struct observed_request **place = find_observed(handle), *new = unused;

    if (*place) {
        new = *place;
        *new = (struct observed_request){.handle = handle, .next = new->next, .object = object};
        return new;
    }
    if (new)
        unused = new->next;
    else if (pool_used < PENDING)
        new = &pool[pool_used++];
    else
        return NULL;
    *new = (struct observed_request){.handle = handle, .object = object};
    *place = new;
    return new;
}

int64_t observe_bytes(const struct intercept *call, enum role count, enum role type)
{
    const struct observed_type *t = observe_type((uint64_t)intercept_argument(call, type));

    if (!intercept_has(call, count) || !intercept_has(call, type) || !t->is_known)
        return -1;
    return intercept_argument(call, count) * t->size;
}

/* Whether no message went to this rank and tag before; also false when that is no longer known. */
static bool is_new_stream(int object, int dest, int tag)
{
    uint64_t key = ((uint64_t)object << 56 | (uint64_t)(uint32_t)dest << 32 | (uint32_t)tag) + 1;
    size_t at = (size_t)((key * 0x9e3779b97f4a7c15u) >> 50);

    for (int i = 0; i < 64; i++, at = (at + 1) % STREAMS) {
        if (streams[at] == key)
            return false;
        if (!streams[at]) {
            streams[at] = key;
            return true;
        }
    }
    return false;
}

static int length_class(int64_t bytes)
{
    int class = bytes <= 0 ? 0 : 64 - __builtin_clzll((uint64_t)bytes);

    return class < PROFILE_SIZES ? class : PROFILE_SIZES - 1;
}

static void count_send(struct intercept *call, struct profile_object *object, enum role type)
{
    struct profile *p = observe.profile;
    int dest = (int)intercept_argument(call, AT_DEST), world;
    int64_t bytes = observe_bytes(call, AT_COUNT, type);

    if (dest == MPI_PROC_NULL)
        return;
    if (bytes < 0)
        bytes = 0;
    call->seen.bytes += bytes;
    object->sends++;
    object->sizes[length_class(bytes)]++;
    object->repeated += !is_new_stream(observe_index(object), dest, (int)intercept_argument(call, AT_TAG));
    if (bytes >= LARGE) {
        object->large++;
        object->large_bytes += (uint64_t)bytes;
    }
    world = observe_world_rank(call, dest);
    if (world >= 0) {
        int from = profile_lane_of(observe.rank, observe.size), to = profile_lane_of(world, observe.size);

        p->messages[from][to]++;
        p->message_bytes[from][to] += (uint64_t)bytes;
        p->lane[from].sent++;
        p->lane[from].sent_bytes += (uint64_t)bytes;
    }
}

static void observe_wildcards(const struct intercept *call, struct profile_object *object, bool is_probe)
{
    bool any_source = intercept_argument(call, AT_SOURCE) == MPI_ANY_SOURCE,
         any_tag = intercept_argument(call, AT_RECVTAG) == MPI_ANY_TAG;

    *(is_probe ? &object->probes : &object->receives) += intercept_argument(call, AT_SOURCE) != MPI_PROC_NULL;
    object->any_source += any_source;
    object->any_tag += any_tag;
}

/* The library below must tell the length. */
static void keep_status(struct intercept *call)
{
    int64_t *status = &call->argument[(int)call->procedure->at[AT_STATUS]];

    if ((MPI_Status *)(intptr_t)*status == MPI_STATUS_IGNORE)
        *status = (int64_t)(intptr_t)&call->status;
}

/* is_outside: it was received into memory that is not of MPI. */
static void count_length(struct profile_object *object, int64_t room, bool is_outside,
                         const MPI_Status *status, int error)
{
    int cancelled = 0;
    MPI_Count bytes = 0;

    if (!object)
        return;
    if (!error && status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    if (!error && real.Test_cancelled(status, &cancelled) == MPI_SUCCESS && cancelled)
        return;
    if (!error && real.Get_count_c(status, MPI_BYTE, &bytes))
        bytes = MPI_UNDEFINED;
    if (is_outside)
        observe_large(object, bytes);
    if (error || room < 0 || bytes == MPI_UNDEFINED)
        object->unknown_length++;
    else if (bytes == room)
        object->exact++;
    else
        object->inexact++;
}

static void count_done(struct observed_request **place, const MPI_Status *status, int error)
{
    struct observed_request *p = *place;

    if (!p->is_collective && (!p->is_persistent || p->is_active))
        count_length(observe_object_at(p->object), p->bytes, p->is_outside, status, error);
    p->is_active = false;
    if (!p->is_persistent)
        remove_observed(place);
}

/* Statuses of the library's own are wanted where the program gives none. What the requests were is kept, since they become null. */
static void remember_requests(struct intercept *call)
{
    int count = (int)intercept_argument(call, AT_TOTAL);
    bool has_all = intercept_has(call, AT_STATUSES);
    int64_t *status = has_all ? &call->argument[(int)call->procedure->at[AT_STATUSES]] : NULL;
    const uint64_t *request = (const uint64_t *)(intptr_t)intercept_argument(call, AT_REQUESTS);

    if (!has_all)
        keep_status(call);
    call->seen.block =
        count > 0 && request ? malloc((size_t)count * (sizeof(MPI_Status) + sizeof(uint64_t))) : NULL;
    if (!call->seen.block)
        return;
    memcpy((MPI_Status *)call->seen.block + count, request, (size_t)count * sizeof *request);
    if (has_all && (MPI_Status *)(intptr_t)*status == MPI_STATUSES_IGNORE)
        *status = (int64_t)(intptr_t)call->seen.block;
}

static void forget_request(uint64_t request)
{
    struct observed_request **place = find_observed(request);

    if (!*place)
        return;
    if (!(*place)->is_collective && (!(*place)->is_persistent || (*place)->is_active) &&
        observe_object_at((*place)->object))
        observe_object_at((*place)->object)->unknown_length++;
    remove_observed(place);
}

static void count_completed_many(struct intercept *call, int error)
{
    int count = (int)intercept_argument(call, AT_TOTAL);
    const MPI_Status *all = (const MPI_Status *)(intptr_t)intercept_argument(call, AT_STATUSES);
    const MPI_Status *one = (const MPI_Status *)(intptr_t)intercept_argument(call, AT_STATUS);
    const int *indices = (const int *)(intptr_t)intercept_argument(call, AT_INDICES);
    const uint64_t *request = (const uint64_t *)((MPI_Status *)call->seen.block + count);
    bool is_some = intercept_has(call, AT_INDICES), is_any = intercept_has(call, AT_INDEX);
    int first = 0, end = count;

    if (error) { /* which of them is not looked at */
        for (int i = 0; i < count; i++)
            forget_request(request[i]);
        return;
    }

    if (is_some) {
        end = *(int *)(intptr_t)intercept_argument(call, AT_OUTCOUNT);
        end = end == MPI_UNDEFINED ? 0 : end;
    } else if (is_any) {
        first = *(int *)(intptr_t)intercept_argument(call, AT_INDEX);
        end = first == MPI_UNDEFINED ? first : first + 1;
    }
    for (int i = first; i < end; i++) {
        struct observed_request **place = find_observed(request[is_some ? indices[i] : i]);

        if (*place)
            count_done(place, is_any ? one : &all[i], MPI_SUCCESS);
    }
}

static void count_completed_one(struct intercept *call, int error)
{
    struct observed_request **place = find_observed(call->seen.request);

    if (*place)
        count_done(place, (const MPI_Status *)(intptr_t)intercept_argument(call, AT_STATUS), error);
}

/* A buffer in place of several, or elsewhere: nobody knows. */
static void count_collective(struct intercept *call, struct profile_object *object)
{
    int64_t bytes = observe_bytes(call, AT_COUNT, AT_TYPE);

    object->collectives++;
    call->seen.bytes = bytes < 0 ? 0 : bytes;
    if (intercept_has(call, AT_TYPES) || intercept_has(call, AT_TYPES2))
        object->unknown_memory++;
    if (intercept_has(call, AT_BUF))
        observe_buffer(call, object, AT_BUF, AT_TYPE, bytes);
    if (intercept_has(call, AT_BUF2))
        observe_buffer(call, object, AT_BUF2, intercept_has(call, AT_TYPE2) ? AT_TYPE2 : AT_TYPE, bytes);
}

/* The order of persistent collectives, as a hash of their numbers. */
static void observe_started(uint64_t request)
{
    struct observed_request *p = *find_observed(request);
    struct profile_object *object = p ? observe_object_at(p->object) : NULL;

    if (!object)
        return;
    p->is_active = true;
    if (!p->is_collective)
        return;
    object->starts++;
    object->order = (object->order ^ p->number) * 0x9e3779b97f4a7c15u;
    object->order ^= object->order >> 29;
}

static void count_message(struct intercept *call, struct profile_object *object)
{
    bool replaces = !intercept_has(call, AT_BUF2);

    switch (call->procedure->family) {
    case FAMILY_SEND:
    case FAMILY_ISEND:
        count_send(call, object, AT_TYPE);
        observe_buffer(call, object, AT_BUF, AT_TYPE, call->seen.bytes);
        break;
    case FAMILY_RECV:
        keep_status(call);
        /* fall through */
    case FAMILY_IRECV:
        observe_wildcards(call, object, false);
        call->seen.is_outside =
            observe_room(call, object, AT_BUF, AT_TYPE, observe_bytes(call, AT_COUNT, AT_TYPE));
        break;
    case FAMILY_SENDRECV:
        keep_status(call);
        /* fall through */
    case FAMILY_ISENDRECV:
        count_send(call, object, AT_TYPE);
        observe_wildcards(call, object, false);
        observe_buffer(call, object, AT_BUF, AT_TYPE, call->seen.bytes);
        call->seen.is_outside = !replaces && observe_room(call, object, AT_BUF2, AT_TYPE2,
                                                          observe_bytes(call, AT_COUNT2, AT_TYPE2));
        break;
    case FAMILY_PROBE:
    case FAMILY_IPROBE:
        observe_wildcards(call, object, true);
        if (intercept_has(call, AT_NEW)) { /* what it is received as is not looked at */
            object->unknown_length++;
            object->unknown_memory++;
        }
        break;
    case FAMILY_SEND_INIT: /* each start may send to the same rank and tag */
        object->sends++;
        object->repeated++;
        observe_buffer(call, object, AT_BUF, AT_TYPE, observe_bytes(call, AT_COUNT, AT_TYPE));
        break;
    case FAMILY_RECV_INIT:
        observe_wildcards(call, object, false);
        call->seen.is_outside =
            observe_room(call, object, AT_BUF, AT_TYPE, observe_bytes(call, AT_COUNT, AT_TYPE));
        break;
    case FAMILY_PARTITIONED:
        object->repeated++;
        object->unknown_length++;
        object->unknown_memory++;
        break;
    case FAMILY_COLLECTIVE:
    case FAMILY_ICOLLECTIVE:
    case FAMILY_COLLECTIVE_INIT:
        count_collective(call, object);
        break;
    default:
        break;
    }
}

void observe_message_before(struct intercept *call)
{
    struct profile_object *object = intercept_has(call, AT_COMM) ? observe_object_of(call) : NULL;
    const uint64_t *many = (const uint64_t *)(intptr_t)intercept_argument(call, AT_REQUESTS);

    if (object) {
        count_message(call, object);
        return;
    }
    if (intercept_has(call, AT_REQUESTS) && call->procedure->family != FAMILY_STARTALL &&
        call->procedure->family != FAMILY_GET_STATUS) {
        remember_requests(call);
        return;
    }
    switch (call->procedure->family) {
    case FAMILY_WAIT:
    case FAMILY_TEST:
        keep_status(call);
        call->seen.request = observe_handle(call, AT_REQUEST);
        break;
    case FAMILY_REQUEST_FREE:
        call->seen.request = observe_handle(call, AT_REQUEST);
        break;
    case FAMILY_TYPE_FREE:
        call->seen.request = observe_handle(call, AT_TYPE);
        break;
    case FAMILY_START:
        observe_started(observe_handle(call, AT_REQUEST));
        break;
    case FAMILY_STARTALL:
        for (int i = 0; many && i < intercept_argument(call, AT_TOTAL); i++)
            observe_started(many[i]);
        break;
    default:
        break;
    }
}

/* A request has been made: keeps what is needed when it completes. */
static void keep_posted(struct intercept *call, struct profile_object *object)
{
    enum family family = call->procedure->family;
    bool is_recv = family == FAMILY_IRECV || family == FAMILY_RECV_INIT || family == FAMILY_ISENDRECV;
    bool is_collective = family == FAMILY_COLLECTIVE_INIT;
    uint64_t handle = *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW_REQUEST);
    bool has_two = intercept_has(call, AT_COUNT2);
    struct observed_request *p, **old = find_observed(handle);

    if (!is_recv && !is_collective) {
        if (*old)
            remove_observed(old);
        return;
    }
    p = add_observed(handle, observe_index(object));
    if (!p) {
        object->unknown_length++;
        object->order_differs += is_collective;
        return;
    }
    p->is_persistent = is_collective || family == FAMILY_RECV_INIT;
    p->is_collective = is_collective;
    p->is_outside = is_recv && call->seen.is_outside;
    p->bytes = is_collective
                   ? -1
                   : observe_bytes(call, has_two ? AT_COUNT2 : AT_COUNT, has_two ? AT_TYPE2 : AT_TYPE);
    if (is_collective)
        p->number = ++made_collectives[observe_index(object)];
}

static void count_completed(struct intercept *call, int error)
{
    const int *flag = (const int *)(intptr_t)intercept_argument(call, AT_FLAG);
    bool is_done = !flag || *flag;

    if (intercept_has(call, AT_REQUESTS)) {
        if (is_done && call->seen.block)
            count_completed_many(call, error);
        free(call->seen.block);
    } else if (is_done) {
        count_completed_one(call, error);
    }
}

void observe_message_after(struct intercept *call, int error)
{
    struct profile_object *object = intercept_has(call, AT_COMM) ? observe_object_of(call) : NULL;
    bool has_two = intercept_has(call, AT_COUNT2);

    switch (call->procedure->family) {
    case FAMILY_RECV:
    case FAMILY_SENDRECV:
        if (object && intercept_argument(call, AT_SOURCE) != MPI_PROC_NULL)
            count_length(object,
                         observe_bytes(call, has_two ? AT_COUNT2 : AT_COUNT, has_two ? AT_TYPE2 : AT_TYPE),
                         call->seen.is_outside,
                         (const MPI_Status *)(intptr_t)intercept_argument(call, AT_STATUS), error);
        break;
    case FAMILY_ISEND:
    case FAMILY_IRECV:
    case FAMILY_ISENDRECV:
    case FAMILY_SEND_INIT:
    case FAMILY_RECV_INIT:
    case FAMILY_ICOLLECTIVE:
    case FAMILY_COLLECTIVE_INIT:
        if (object && !error)
            keep_posted(call, object);
        break;
    case FAMILY_WAIT:
    case FAMILY_TEST:
    case FAMILY_WAITALL:
    case FAMILY_TESTALL:
    case FAMILY_WAITANY:
    case FAMILY_TESTANY:
    case FAMILY_WAITSOME:
    case FAMILY_TESTSOME:
        count_completed(call, error);
        break;
    case FAMILY_REQUEST_FREE:
        if (!error)
            forget_request(call->seen.request);
        break;
    default:
        break;
    }
}
