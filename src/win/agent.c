/* The origin's side of agents. */
#include "win/agent_wire.h"

#include "base/live.h"
#include "coll/coll.h"
#include "metric/metric.h"
#include "p2p/lost.h"
#include "p2p/p2p.h"
#include "plain/fail.h"
#include "plain/log.h"
#include "win/control.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    TENDED_TOGETHER = 16 /* requests that are added from one look at them to the next */
};

/* A request that a flush waits for. */
struct pending {
    struct link link;
    int rank;
    struct request *request; /* referenced */
};

static struct poll_queue agents = POLL_QUEUE_INIT(agents);

static struct datatype *agent_bytes(void)
{
    return datatype_predefined(MPI_BYTE);
}

/* Sends a request with `bytes` bytes of data in it. It is copied. */
static int post_request(struct agent *a, int rank, const void *request, size_t bytes)
{
    return p2p_send_copy(request, (MPI_Count)(offsetof(struct agent_request, data) + bytes), agent_bytes(),
                         rank, AGENT_TAG, a->win->comm, PLANE_P2P);
}

/* Takes what is held back for a rank (-1: for any), and returns for which; -1: nothing is. The caller sends it before it
 * releases the lock, so that no other thread's flush passes by. */
static int take_held(struct agent *a, int rank, struct held_request *held)
{
    int of = atomic_load_explicit(&a->held_rank, memory_order_relaxed);

    if (of < 0 || (rank >= 0 && of != rank))
        return -1;
    held->head = a->held.head;
    held->bytes = a->held.bytes;
    memcpy(held->data, a->held.data, held->bytes);
    atomic_store_explicit(&a->held_rank, -1, memory_order_relaxed);
    return of;
}

/* The caller holds the lock. */
static int post_held(struct agent *a, int rank)
{
    struct held_request held;
    int to = take_held(a, rank, &held);

    return to >= 0 ? post_request(a, to, &held, held.bytes) : MPI_SUCCESS;
}

static int send_held(struct agent *a, int rank)
{
    int error;

    lock_take(&a->lock);
    error = post_held(a, rank);
    lock_release(&a->lock);
    return error;
}

/* As part of progress. A thread that sends with the lock held may poll. */
static int poll_held(struct agent *a)
{
    if (atomic_load_explicit(&a->held_rank, memory_order_relaxed) < 0 || !lock_try(&a->lock))
        return 0;
    post_held(a, -1); /* the flush tells of an error: the rank is lost */
    lock_release(&a->lock);
    return 1;
}

/* By the thread that has the queue's runner. */
static int serve_agents(bool all)
{
    struct link *l = &agents.entries;
    int events = 0;

    (void)all;
    while ((l = poll_queue_next(&agents, l, &agents.entries)) != NULL) {
        struct agent *agent = LIST_ENTRY(l, struct agent, link);

        if (!atomic_load_explicit(&agent->is_closing, memory_order_acquire)) {
            events += poll_held(agent) + agent_serve(agent);
            continue;
        }
        l = l->prev;
        lock_take(&agents.lock);
        poll_queue_remove(&agents, &agent->link);
        lock_release(&agents.lock);
        atomic_store_explicit(&agent->is_closed, true, memory_order_release);
        events++;
    }
    return events;
}

static int poll_agents(bool all)
{
    return poll_queue_run(&agents, serve_agents, all);
}

static struct agent *agent_new(struct win *win)
{
    struct agent *a = calloc(1, sizeof *a);

    if (!a)
        return NULL;
    live_add(LIVE_AGENT, 1);
    a->win = win;
    a->lock = (struct lock)LOCK_INIT;
    a->next_tag = AGENT_FIRST_TAG;
    atomic_init(&a->held_rank, -1);
    list_init(&a->pending);
    list_init(&a->serving);
    list_init(&a->known);
    a->sent = calloc((size_t)win->size, sizeof *a->sent);
    a->error = calloc((size_t)win->size, sizeof *a->error);
    return a;
}

static void agent_free(struct agent *a)
{
    live_add(LIVE_AGENT, -1);
    agent_forget_types(a);
    free(a->told);
    free(a->sent);
    free(a->error);
    free(a);
}

enum {
    AGENT_IS_FINE = 1,
    IS_AGREED = 2
};

/* Whether all ranks could; `error`: this one's. *agreed: as of agent_open. */
static int agree_on_agents(struct win *win, int error, bool *agreed)
{
    uint64_t facts = (error ? 0 : AGENT_IS_FINE) | (*agreed ? IS_AGREED : 0);
    int failed = coll_agree(win->comm, &facts, NULL);

    *agreed = facts & IS_AGREED;
    if (error || failed)
        return error ? error : failed;
    return facts & AGENT_IS_FINE
               ? MPI_SUCCESS
               : fail(MPI_ERR_NO_MEM, "another rank has no memory for the agent of a window");
}

int agent_open(struct win *win, bool *agreed)
{
    struct agent *a = agent_new(win);
    int error = MPI_SUCCESS;

    if (!a || !a->sent || !a->error)
        error = fail(MPI_ERR_NO_MEM, "no memory for the agent of a window of %d ranks", win->size);
    if (!error)
        error = p2p_irecv(&a->request, sizeof a->request, datatype_predefined(MPI_BYTE), MPI_ANY_SOURCE,
                          AGENT_TAG, win->comm, PLANE_P2P, &a->arriving);
    if (!error) {
        poll_queue_register(&agents, poll_agents);
        lock_take(&agents.lock);
        poll_queue_add(&agents, &a->link, false);
        lock_release(&agents.lock);
        win->agent = a;
        win->looks_around = true;
    } else if (a) {
        agent_free(a);
    }
    return agree_on_agents(win, error, agreed);
}

void agent_close(struct win *win)
{
    struct agent *a = win->agent;
    struct wait w = WAIT_START;

    if (!a)
        return;
    atomic_store_explicit(&a->is_closing, true, memory_order_release);
    while (!atomic_load_explicit(&a->is_closed, memory_order_acquire))
        progress_wait(&w);
    agent_serve_close(a);
    agent_free(a);
    win->agent = NULL;
}

/* The caller holds the lock. */
static int32_t take_tag(struct agent *a)
{
    int32_t tag = a->next_tag;

    a->next_tag += 2;
    if (a->next_tag >= AGENT_TAGS)
        a->next_tag = AGENT_FIRST_TAG;
    return tag;
}

static int32_t next_tag(struct agent *a)
{
    int32_t tag;

    lock_take(&a->lock);
    tag = take_tag(a);
    lock_release(&a->lock);
    return tag;
}

/* After what is held back for the rank. */
static int send_request(struct agent *a, int rank, const struct agent_request *request, size_t bytes)
{
    int error = send_held(a, rank);

    return error ? error : post_request(a, rank, request, bytes);
}

/* Holds a request back, and sends the one that was. */
static int hold_request(struct agent *a, int rank, const struct agent_request *request, size_t bytes)
{
    int error;

    lock_take(&a->lock);
    error = post_held(a, -1);
    a->held.head = request->head;
    a->held.bytes = bytes;
    memcpy(a->held.data, request->data, bytes);
    atomic_store_explicit(&a->held_rank, rank, memory_order_relaxed);
    lock_release(&a->lock);
    return error;
}

/* A program may start any number before a flush: lets those go on that wait for room, and forgets the first ones that are
 * done. */
static void tend_pending(struct agent *a)
{
    struct link done = LIST_INIT(done);

    progress_poll();
    lock_take(&a->lock);
    for (int i = 0; i < 2 * TENDED_TOGETHER && !list_is_empty(&a->pending); i++) {
        struct pending *p = LIST_ENTRY(a->pending.next, struct pending, link);

        if (!request_is_done(p->request) || p->request->status.error)
            break;
        list_remove(&p->link);
        list_add(&done, &p->link);
    }
    lock_release(&a->lock);
    while (!list_is_empty(&done)) {
        struct pending *p = LIST_ENTRY(done.next, struct pending, link);

        list_remove(&p->link);
        request_unref(p->request);
        free(p);
    }
}

/* Keeps a request until the next flush of the rank; without memory it is waited for now. */
static int add_pending(struct agent *a, int rank, struct request *request)
{
    struct pending *p = malloc(sizeof *p);
    bool is_time;

    if (!p) {
        int error = request_wait(request);

        request_unref(request);
        return error;
    }
    *p = (struct pending){.rank = rank, .request = request};
    lock_take(&a->lock);
    list_add(&a->pending, &p->link);
    is_time = ++a->kept % TENDED_TOGETHER == 0;
    lock_release(&a->lock);
    if (is_time)
        tend_pending(a);
    return MPI_SUCCESS;
}

int agent_keep(struct win *win, int rank, struct request *r, struct request **wanted)
{
    struct agent *a = win->agent;
    int error;

    if (wanted) {
        r->owner = &win->object;
        request_ref(r);
    }
    error = add_pending(a, rank, r);
    if (wanted && error)
        request_unref(r);
    else if (wanted)
        *wanted = r;
    return error;
}

/* The next request to wait for before a rank (-1: all) is flushed; NULL: there are no more. */
static struct pending *take_pending(struct agent *a, int rank)
{
    struct pending *found = NULL;

    lock_take(&a->lock);
    for (struct link *l = a->pending.next; l != &a->pending && !found; l = l->next) {
        struct pending *p = LIST_ENTRY(l, struct pending, link);

        if (rank < 0 || p->rank == rank)
            found = p;
    }
    if (found)
        list_remove(&found->link);
    lock_release(&a->lock);
    return found;
}

static int await_pending(struct agent *a, int rank)
{
    struct pending *p;
    int first = MPI_SUCCESS;

    while ((p = take_pending(a, rank)) != NULL) {
        int error = control_await(a->win, p->request);

        if (error)
            request_cancel(p->request);
        request_unref(p->request);
        free(p);
        first = first ? first : error;
    }
    return first;
}

/* Sends what is asked for, behind what is held back for the rank, and expects the answer. The caller holds the lock. */
static int post_question(struct agent *a, int rank, enum agent_kind kind, bool is_exclusive,
                         struct agent_answer *answer, struct request **r)
{
    struct held_request request = {.head = {.kind = (uint8_t)kind}};
    int error;

    if (take_held(a, rank, &request) >= 0)
        request.head.then = (uint64_t)kind;
    else
        request.head.tag = take_tag(a);
    request.head.is_exclusive = is_exclusive;
    error = p2p_irecv(answer, sizeof *answer, agent_bytes(), rank, agent_answer_tag(&request.head),
                      a->win->comm, PLANE_P2P, r);
    if (error)
        return error;
    error = post_request(a, rank, &request, request.bytes);
    if (!error)
        return MPI_SUCCESS;
    p2p_cancel_recv(*r);
    request_wait(*r);
    request_unref(*r);
    return error;
}

static int answer_error(int rank, int code)
{
    if (!code)
        return MPI_SUCCESS;
    if (lost_is_cause(code))
        return fail(code, "a process that the window needs is lost");
    return fail(
        code, "rank %d could not do what it was asked for: no such memory is attached, or it had none", rank);
}

/* Asks a rank and waits for its answer. */
static int agent_ask(struct agent *a, int rank, enum agent_kind kind, bool is_exclusive)
{
    struct agent_answer answer = {MPI_SUCCESS, 0};
    struct request *r;
    int error;

    lock_take(&a->lock);
    error = post_question(a, rank, kind, is_exclusive, &answer, &r);
    lock_release(&a->lock);
    if (error)
        return error;
    error = control_await(a->win, r);
    if (error)
        p2p_cancel_recv(r);
    request_wait(r);
    request_unref(r);
    return error ? error : answer_error(rank, answer.error);
}

/* How many operations were sent to a rank. *is_complete: whether the answers so far cover them. */
static uint64_t agent_sent(struct agent *a, int rank, bool *is_complete)
{
    uint64_t sent;

    lock_take(&a->lock);
    sent = a->sent[rank].count;
    *is_complete = a->sent[rank].complete >= sent;
    lock_release(&a->lock);
    return sent;
}

/* An answer covers the first `sent` operations. */
static void note_complete(struct agent *a, int rank, uint64_t sent)
{
    lock_take(&a->lock);
    if (a->sent[rank].complete < sent)
        a->sent[rank].complete = sent;
    lock_release(&a->lock);
}

int agent_complete(struct win *win, int rank)
{
    struct agent *a = win->agent;
    bool is_complete;
    uint64_t sent;
    int error;

    if (rank == win->rank)
        return MPI_SUCCESS;
    error = await_pending(a, rank);
    sent = agent_sent(a, rank, &is_complete);
    if (!error && !is_complete)
        error = agent_ask(a, rank, AGENT_FLUSH, false);
    note_complete(a, rank, sent);
    return error;
}

int agent_complete_all(struct win *win)
{
    int first = MPI_SUCCESS;

    for (int r = 0; r < win->size; r++) {
        int error = agent_complete(win, r);

        first = first ? first : error;
    }
    return first;
}

int agent_lock(struct win *win, int rank, bool is_exclusive)
{
    return agent_ask(win->agent, rank, AGENT_LOCK, is_exclusive);
}

int agent_unlock(struct win *win, int rank, bool is_exclusive)
{
    struct agent *a = win->agent;
    int error = await_pending(a, rank), failed;
    bool is_complete;
    uint64_t sent = agent_sent(a, rank, &is_complete);

    failed = agent_ask(a, rank, AGENT_UNLOCK, is_exclusive);
    note_complete(a, rank, sent);
    return error ? error : failed;
}

/* The number of a type that the rank has been told of; 0: it has not. The caller holds the lock. */
static uint64_t find_told(const struct agent *a, const struct target *t)
{
    uint64_t handle = object_handle(&t->type->object);

    for (size_t i = 0; i < a->told_count && handle; i++) {
        const struct told_type *told = &a->told[i];

        if (told->handle == handle && told->count == t->count && told->rank == t->rank)
            return told->number;
    }
    return 0;
}

static void remember_told(struct agent *a, const struct target *t, uint64_t number)
{
    uint64_t handle = object_handle(&t->type->object);

    if (a->told_count == AGENT_TYPES)
        a->told_count = 0;
    if (a->told_count == a->told_room) {
        size_t room = a->told_room ? a->told_room * 2 : 16;
        void *told = realloc(a->told, room * sizeof *a->told);

        if (!told)
            return; /* it will be told again */
        a->told = told;
        a->told_room = room;
    }
    a->told[a->told_count++] = (struct told_type){handle, t->count, t->rank, number};
}

/* Describes the target's type to its agent, in as many messages as it takes. */
static int tell_type(struct agent *a, const struct target *t, size_t bytes, uint64_t number)
{
    struct agent_request request = {.head = {.kind = AGENT_TYPE, .type = number}};
    struct agent_run *run = (struct agent_run *)(void *)request.data;
    size_t most = AGENT_INLINE / sizeof *run, n = 0;
    int error = MPI_SUCCESS;

    request.head.basic = agent_name_basic(t->type->basic);
    for (size_t at = 0; at < bytes && !error;) {
        struct runs r = layout_runs(&t->type->items, NULL, (MPI_Count)at);

        if (r.count > (MPI_Count)(bytes - at) / r.bytes)
            r.count = (MPI_Count)(bytes - at) / r.bytes;
        run[n++] = (struct agent_run){(int64_t)(intptr_t)r.at, r.bytes, r.count, r.stride};
        at += (size_t)(r.bytes * r.count);
        if (n < most && at < bytes)
            continue;
        error = post_request(a, t->rank, &request, n * sizeof *run);
        n = 0;
    }
    return error;
}

/* Names the target's type, of `bytes` bytes of data. */
static int name_type(struct agent *a, const struct target *t, size_t bytes, struct agent_head *head)
{
    int error = MPI_SUCCESS;

    head->basic = agent_name_basic(t->type->basic);
    head->type = 0;
    if (t->type->dense)
        return MPI_SUCCESS;
    error = send_held(a, t->rank); /* the agent may forget its type */
    if (error)
        return error;
    lock_take(&a->lock);
    head->type = find_told(a, t);
    if (!head->type) {
        head->type = ++a->types;
        error = tell_type(a, t, bytes, head->type);
        if (!error)
            remember_told(a, t, head->type);
    }
    lock_release(&a->lock);
    return error;
}

static int agent_begin(const struct target *t, enum agent_kind kind, size_t bytes,
                       struct agent_request *request)
{
    struct agent *a = t->win->agent;

    metric_count(METRIC_RMA_REQUESTS, 1);
    request->head =
        (struct agent_head){.kind = (uint8_t)kind, .tag = next_tag(a), .address = t->address, .bytes = bytes};
    return name_type(a, t, bytes, &request->head);
}

/* Comes after the sending: what is counted is covered by the answer to whatever is asked from then on. */
static void note_sent(struct agent *a, int rank)
{
    lock_take(&a->lock);
    a->sent[rank].count++;
    lock_release(&a->lock);
}

/* Sends the data that a request has announced, of another length than it said if that fails: its target waits for them. */
static int send_data(struct agent *a, int rank, const struct agent_head *head,
                     const struct user_buffer *origin, struct request **data)
{
    int error = p2p_isend(origin->at, origin->count, origin->type, rank, head->tag, a->win->comm, PLANE_P2P,
                          SEND_STANDARD, data);

    if (error == MPI_ERR_NO_MEM &&
        p2p_send_copy(NULL, 0, agent_bytes(), rank, head->tag, a->win->comm, PLANE_P2P) == MPI_ERR_NO_MEM)
        log_die("no memory to tell rank %d that there are no data", rank);
    return error;
}

/* Sends a request and its data: in it, or after it. *data: the request of the latter; NULL: there is none. *failed: why
 * the data after it are not sent; the agent has the request all the same. */
static int send_with_data(const struct target *t, struct agent_request *request,
                          const struct user_buffer *origin, size_t bytes, struct request **data, int *failed)
{
    struct agent *a = t->win->agent;
    const struct device *device =
        datatype_device(origin->type, origin->at, hint_buffer_kinds(&t->win->hints));
    int error = MPI_SUCCESS;

    if (bytes > AGENT_INLINE) {
        error = send_request(a, t->rank, request, 0);
        if (!error)
            *failed = send_data(a, t->rank, &request->head, origin, data);
        return error;
    }
    if (bytes)
        error = datatype_pack_from(device, origin->type, origin->at, 0, request->data, bytes);
    if (error)
        return error;
    return bytes <= AGENT_HELD && !request->head.is_fetching ? hold_request(a, t->rank, request, bytes)
                                                             : send_request(a, t->rank, request, bytes);
}

int agent_put(const struct target *t, const struct user_buffer *origin, size_t bytes,
              struct request **request)
{
    struct agent_request message;
    struct request *data = NULL;
    int failed = MPI_SUCCESS, error = agent_begin(t, AGENT_PUT, bytes, &message);

    if (error)
        return error;
    error = send_with_data(t, &message, origin, bytes, &data, &failed);
    note_sent(t->win->agent, t->rank);
    if (error || failed)
        return error ? error : failed;
    if (data)
        return agent_keep(t->win, t->rank, data, request);
    return win_finish(request);
}

int agent_get(const struct target *t, const struct user_buffer *origin, size_t bytes,
              struct request **request)
{
    struct agent *a = t->win->agent;
    struct agent_request message;
    struct request *data;
    int error = agent_begin(t, AGENT_GET, bytes, &message);

    if (!error)
        error = p2p_irecv(origin->at, origin->count, origin->type, t->rank, agent_answer_tag(&message.head),
                          a->win->comm, PLANE_P2P, &data);
    if (error)
        return error;
    error = send_request(a, t->rank, &message, 0);
    if (error) {
        p2p_cancel_recv(data);
        request_unref(data);
        return error;
    }
    note_sent(a, t->rank); /* a flush tells whether the target could */
    return agent_keep(t->win, t->rank, data, request);
}

/* Keeps both requests, and gives the program the later one, or a complete one if there is neither. `error`: so far. */
static int keep_combining(const struct target *t, struct request *data, struct request *fetched, int error,
                          struct request **request)
{
    int kept = MPI_SUCCESS;

    if (data)
        kept = agent_keep(t->win, t->rank, data, fetched || error ? NULL : request);
    error = error ? error : kept;
    if (fetched)
        kept = agent_keep(t->win, t->rank, fetched, error ? NULL : request);
    error = error ? error : kept;
    return error || data || fetched ? error : win_finish(request);
}

int agent_combine(const struct target *t, const struct user_buffer *origin, const struct user_buffer *result,
                  const struct op *op, size_t bytes, struct request **request)
{
    struct agent *a = t->win->agent;
    struct agent_request message;
    struct request *data = NULL, *fetched = NULL;
    int failed = MPI_SUCCESS, error = agent_begin(t, AGENT_COMBINE, bytes, &message);

    message.head.op = (uint8_t)op->code;
    message.head.is_fetching = result != NULL;
    if (!error && result)
        error = p2p_irecv(result->at, result->count, result->type, t->rank, agent_answer_tag(&message.head),
                          a->win->comm, PLANE_P2P, &fetched);
    if (error)
        return error;
    if (op->code == OP_NO_OP)
        error = send_request(a, t->rank, &message, 0);
    else
        error = send_with_data(t, &message, origin, bytes, &data, &failed);
    note_sent(a, t->rank);
    if (error && fetched)
        p2p_cancel_recv(fetched);
    return keep_combining(t, data, fetched, error ? error : failed, request);
}

int agent_swap(const struct target *t, const void *origin, const void *compare, void *result)
{
    struct agent *a = t->win->agent;
    size_t bytes = (size_t)t->type->size;
    struct agent_request message;
    struct request *fetched;
    int error = agent_begin(t, AGENT_SWAP, bytes, &message);

    if (!error)
        error = p2p_irecv(result, 1, t->type, t->rank, agent_answer_tag(&message.head), a->win->comm,
                          PLANE_P2P, &fetched);
    if (error)
        return error;
    memcpy(message.data, origin, bytes);
    memcpy(message.data + bytes, compare, bytes);
    error = send_request(a, t->rank, &message, 2 * bytes);
    note_sent(a, t->rank);
    if (error)
        p2p_cancel_recv(fetched);
    add_pending(a, t->rank, fetched);
    return error;
}
