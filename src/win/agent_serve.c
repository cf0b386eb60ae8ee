/* The target's side of agents. Everything here runs in the thread that has the runner of the agents' queue. */
#include "win/agent_wire.h"

#include "base/live.h"
#include "p2p/p2p.h"
#include "plain/fail.h"
#include "plain/log.h"
#include "win/attachment.h"
#include "win/combiner.h"
#include "win/control.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    SERVED_AT_ONCE = 64 /* requests of one round */
};

/* A request that has been begun. */
struct served {
    struct link link;
    int origin;
    struct agent_head head;
    struct target target; /* type referenced */
    bool is_using;        /* attached memory of a dynamic window */
    struct datatype *basic;
    unsigned char *data, *fetched; /* owned; NULL: none */
    struct request *request;       /* data on their way; NULL: there are none, or they have come */
    bool is_answering;             /* `request` is the answer on its way */
};

/* The origin waits for an answer: without memory the job ends. */
static struct served *served_new(int origin)
{
    struct served *s = calloc(1, sizeof *s);

    if (s) {
        live_add(LIVE_SERVED, 1);
        return s;
    }
    log_die("no memory to serve a one-sided operation of rank %d", origin);
}

static void served_free(struct served *s)
{
    live_add(LIVE_SERVED, -1);
    list_remove(&s->link);
    if (s->request)
        request_unref(s->request);
    if (s->is_using)
        attachment_end_use(&s->target);
    if (s->target.type)
        datatype_unref(s->target.type);
    free(s->data);
    free(s->fetched);
    free(s);
}

static void serve_note_error(struct agent *a, int origin, int error)
{
    if (!a->error[origin])
        a->error[origin] = error;
}

static struct datatype *serve_bytes(void)
{
    return datatype_predefined(MPI_BYTE);
}

/* Sends a short answer, which is copied. */
static void answer(struct agent *a, const struct served *s, int error)
{
    struct agent_answer answer = {error, 0};

    p2p_send_copy(&answer, sizeof answer, serve_bytes(), s->origin, agent_answer_tag(&s->head), a->win->comm,
                  PLANE_P2P);
}

/* Whether something of the same origin that was begun before is not done: of accumulates alone, or of
 * everything. */
static bool has_earlier(struct agent *a, const struct served *s, bool combines_only)
{
    for (struct link *l = a->serving.next; l != &s->link; l = l->next) {
        const struct served *e = LIST_ENTRY(l, struct served, link);
        bool combines = (e->head.kind == AGENT_COMBINE || e->head.kind == AGENT_SWAP) && !e->is_answering;
        bool waits = e->head.kind == AGENT_LOCK;

        if (e->origin == s->origin && !waits && (combines || !combines_only))
            return true;
    }
    return false;
}

/* Finds the memory that the request is about. An error: it is not part of the window. */
static int find_target(struct agent *a, struct served *s)
{
    struct win *win = a->win;
    struct target *t = &s->target;
    int error;

    s->basic = agent_find_basic(s->head.basic);
    if (!s->basic)
        return fail_class();
    t->win = win;
    t->rank = win->rank;
    t->count = s->head.type ? 1 : (MPI_Count)s->head.bytes;
    t->type = s->head.type ? agent_known_type(a, s->origin, s->head.type) : serve_bytes();
    if (!t->type)
        return fail_class();
    datatype_ref(t->type);
    t->address = s->head.address;
    t->at = (unsigned char *)(uintptr_t)s->head.address;
    t->is_mapped = true;
    t->is_shared = win->is_exposed;
    if (win->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        return MPI_SUCCESS; /* the origin knows the segment */
    error = attachment_use(t);
    s->is_using = !error;
    return error;
}

/* Data that cannot be used are received all the same. */
static int receive_aside(struct agent *a, struct served *s)
{
    s->data = malloc(s->head.bytes + 1);
    if (!s->data)
        return fail(MPI_ERR_NO_MEM, "no memory for %llu bytes of rank %d", (unsigned long long)s->head.bytes,
                    s->origin);
    return p2p_irecv(s->data, (MPI_Count)s->head.bytes, serve_bytes(), s->origin, s->head.tag, a->win->comm,
                     PLANE_P2P, &s->request);
}

/* True when the request is done. */
static bool begin_put(struct agent *a, struct served *s, const unsigned char *data, size_t inline_bytes,
                      int error)
{
    if (s->head.bytes > AGENT_INLINE) {
        if (!error)
            error = p2p_irecv(s->target.at, s->target.count, s->target.type, s->origin, s->head.tag,
                              a->win->comm, PLANE_P2P, &s->request);
        else if (receive_aside(a, s))
            s->request = NULL;
    } else if (!error && inline_bytes) {
        datatype_unpack(s->target.type, s->target.at, 0, data, inline_bytes);
    }
    if (error)
        serve_note_error(a, s->origin, error);
    return !s->request;
}

/* The answer to a fetching request that failed has no data: the origin learns why at its next flush. */
static bool begin_get(struct agent *a, struct served *s, int error)
{
    void *at = error ? NULL : s->target.at;
    MPI_Count count = error ? 0 : s->target.count;

    if (error)
        serve_note_error(a, s->origin, error);
    error = p2p_isend(at, count, error ? serve_bytes() : s->target.type, s->origin,
                      agent_answer_tag(&s->head), a->win->comm, PLANE_P2P, SEND_STANDARD, &s->request);
    s->is_answering = true;
    if (error)
        serve_note_error(a, s->origin, error);
    return error || request_is_done(s->request);
}

/* Keeps the data of an accumulate until its turn comes. */
static void begin_combine(struct agent *a, struct served *s, const unsigned char *data, size_t inline_bytes,
                          int error)
{
    if (!error && s->head.kind == AGENT_COMBINE && s->head.op != OP_NO_OP && s->head.bytes > AGENT_INLINE) {
        error = receive_aside(a, s);
    } else if (!error && inline_bytes) {
        s->data = malloc(inline_bytes);
        if (s->data)
            memcpy(s->data, data, inline_bytes);
        else
            error = fail(MPI_ERR_NO_MEM, "no memory for %zu bytes of rank %d", inline_bytes, s->origin);
    }
    if (error) {
        serve_note_error(a, s->origin, error);
        s->head.op = OP_NO_OP; /* nothing is combined; the answer has no data */
        s->head.bytes = 0;
    }
}

static int combine_now(struct served *s)
{
    struct combination c = {.target = s->target,
                            .basic = s->basic,
                            .op = &op_predefined[s->head.op],
                            .data = s->head.op == OP_NO_OP ? NULL : s->data,
                            .bytes = s->head.bytes};
    bool fetches = s->head.is_fetching || s->head.kind == AGENT_SWAP;

    if (!s->head.bytes)
        return MPI_SUCCESS;
    if (fetches && !(s->fetched = malloc(s->head.bytes)))
        return fail(MPI_ERR_NO_MEM, "no memory to fetch %llu bytes", (unsigned long long)s->head.bytes);
    c.result = s->fetched;
    if (s->head.kind == AGENT_COMBINE)
        return combiner_apply(&c);
    c.data = s->data;
    return combiner_swap(&c, s->data + s->head.bytes);
}

/* The data have come; of another length if their origin had no memory to send them, and knows. */
static void end_arrival(struct served *s)
{
    if (s->request->status.bytes != (MPI_Count)s->head.bytes)
        s->head.bytes = 0;
    request_unref(s->request);
    s->request = NULL;
}

/* True when the request is done. */
static bool go_on_combining(struct agent *a, struct served *s)
{
    int error;

    if (s->is_answering)
        return request_is_done(s->request);
    if (s->request && !request_is_done(s->request))
        return false;
    if (has_earlier(a, s, true))
        return false;
    if (s->request)
        end_arrival(s);
    error = combine_now(s);
    if (error)
        serve_note_error(a, s->origin, error);
    if (!s->head.is_fetching && s->head.kind == AGENT_COMBINE)
        return true;
    s->is_answering = true;
    error = p2p_isend(s->fetched, s->fetched ? (MPI_Count)s->head.bytes : 0, serve_bytes(), s->origin,
                      agent_answer_tag(&s->head), a->win->comm, PLANE_P2P, SEND_STANDARD, &s->request);
    return error || request_is_done(s->request);
}

/* The lock may be held by who is lost. */
static bool go_on_locking(struct agent *a, struct served *s)
{
    struct win_control *own = a->win->own_control;
    int error = MPI_SUCCESS;

    if (!control_try(own, s->origin, s->head.is_exclusive)) {
        control_announce(own, a->win->rank, s->head.is_exclusive);
        error = control_check_lost(a->win);
        if (!error && !control_try(own, s->origin, s->head.is_exclusive))
            return false;
    }
    answer(a, s, error);
    return true;
}

static bool go_on_flushing(struct agent *a, struct served *s)
{
    if (has_earlier(a, s, false))
        return false;
    if (s->head.kind == AGENT_UNLOCK)
        control_release(a->win, a->win->own_control, s->origin, s->head.is_exclusive);
    answer(a, s, a->error[s->origin]);
    a->error[s->origin] = MPI_SUCCESS;
    return true;
}

/* True when the request is done. */
static bool go_on(struct agent *a, struct served *s)
{
    switch (s->head.kind) {
    case AGENT_PUT:
    case AGENT_GET:
        return request_is_done(s->request);
    case AGENT_COMBINE:
    case AGENT_SWAP:
        return go_on_combining(a, s);
    case AGENT_LOCK:
        return go_on_locking(a, s);
    default:
        return go_on_flushing(a, s);
    }
}

static bool is_access(const struct served *s)
{
    return s->head.kind <= AGENT_SWAP;
}

/* True when the request is done at once. */
static bool serve_begin(struct agent *a, struct served *s, size_t inline_bytes)
{
    int error = is_access(s) ? find_target(a, s) : MPI_SUCCESS;

    switch (s->head.kind) {
    case AGENT_PUT:
        return begin_put(a, s, a->request.data, inline_bytes, error);
    case AGENT_GET:
        return begin_get(a, s, error);
    case AGENT_COMBINE:
    case AGENT_SWAP:
        begin_combine(a, s, a->request.data, inline_bytes, error);
        break;
    default:
        break;
    }
    return go_on(a, s);
}

static void serve_one(struct agent *a, int origin, const struct agent_head *head, size_t inline_bytes)
{
    struct served *s = served_new(origin);

    s->origin = origin;
    s->head = *head;
    list_add(&a->serving, &s->link);
    if (serve_begin(a, s, inline_bytes))
        served_free(s);
}

/* Begins what has just come. */
static void serve_request(struct agent *a, int origin, size_t bytes)
{
    size_t inline_bytes = bytes - offsetof(struct agent_request, data);
    struct agent_head head = a->request.head;
    int error;

    if (a->request.head.kind == AGENT_TYPE) {
        error = agent_learn_type(a, origin, &a->request, inline_bytes);
        if (error)
            serve_note_error(a, origin, error);
        return;
    }
    serve_one(a, origin, &head, inline_bytes);
    if (!head.then)
        return;
    head.kind = (uint8_t)head.then;
    serve_one(a, origin, &head, 0);
}

/* Takes one request, if one has come, and waits for the next. */
static bool serve_next(struct agent *a)
{
    struct request *r = a->arriving;
    int origin, error;
    size_t bytes;

    if (!r || !request_is_done(r))
        return false;
    origin = r->status.source;
    bytes = (size_t)r->status.bytes;
    error = r->status.error;
    request_unref(r);
    a->arriving = NULL;
    if (!error)
        serve_request(a, origin, bytes);
    if (p2p_irecv(&a->request, sizeof a->request, serve_bytes(), MPI_ANY_SOURCE, AGENT_TAG, a->win->comm,
                  PLANE_P2P, &a->arriving))
        a->arriving = NULL;
    return true;
}

int agent_serve(struct agent *a)
{
    struct link *next;
    int done = 0;

    while (done < SERVED_AT_ONCE && serve_next(a))
        done++;
    for (struct link *l = a->serving.next; l != &a->serving; l = next) {
        struct served *s = LIST_ENTRY(l, struct served, link);

        next = l->next;
        if (!go_on(a, s))
            continue;
        served_free(s);
        done++;
    }
    return done;
}

void agent_serve_close(struct agent *a)
{
    while (!list_is_empty(&a->serving))
        served_free(LIST_ENTRY(a->serving.next, struct served, link));
    if (!a->arriving)
        return;
    p2p_cancel_recv(a->arriving);
    request_wait(a->arriving);
    request_unref(a->arriving);
}
