/* Running the steps of schedules, and the poller that runs what is kept. */
#include "coll/sched/lines.h"
#include "p2p/lost.h"
#include "p2p/p2p.h"
#include "plain/fail.h"
#include "plain/log.h"
#include "progress/poll_queue.h"

#include <stdlib.h>
#include <string.h>

static void add_flight(struct schedule *s, int error, struct request *r)
{
    if (!error && !r->immortal)
        s->flight[s->in_flight++] = r;
    schedule_note(s, error);
}

/* A rank that has failed sends empty messages, so that its peers learn of it; for a loss they get the same error. */
static int try_send(struct schedule *s, struct coll_block from, int dest, struct request **r)
{
    if (lost_is_cause(s->error)) {
        *r = request_of_done_send();
        return p2p_tell_left(s->comm, dest, s->tag);
    }
    return p2p_isend(from.at, s->error ? 0 : from.count, from.type, dest, s->tag, s->comm, PLANE_COLL,
                     SEND_STANDARD, r);
}

static void start_send(struct schedule *s, struct coll_block from, int dest)
{
    struct request *r;
    int error = try_send(s, from, dest, &r);

    if (error && !lost_is_cause(error)) { /* an empty message needs less */
        schedule_note(s, error);
        error = try_send(s, from, dest, &r);
        if (error && !lost_is_cause(error))
            log_die("rank %d cannot be told that a collective has failed, and would wait for ever: %s", dest,
                    fail_note());
    }
    add_flight(s, error, r);
}

/* What is received for a reduction is combined at once. */
static int try_recv(struct schedule *s, struct coll_block to, int source, struct request **r)
{
    if (s->op)
        return p2p_irecv_single_copy(to.at, to.count, to.type, source, s->tag, s->comm, PLANE_COLL, r);
    return p2p_irecv(to.at, to.count, to.type, source, s->tag, s->comm, PLANE_COLL, r);
}

/* The sender may wait until its message is taken, so giving up quietly would let it hang. */
static void post_recv(struct schedule *s, struct coll_block to, int source)
{
    struct request *r;
    int error = try_recv(s, to, source, &r);

    if (error == MPI_ERR_NO_MEM) /* perhaps there is some by now */
        error = try_recv(s, to, source, &r);
    if (error == MPI_ERR_NO_MEM)
        log_die("no memory to receive what rank %d sends in a collective", source);
    add_flight(s, error, r);
}

/* A blocking receive alone in its round waits to be posted: its message is found faster if it is there. */
static void start_recv(struct schedule *s, struct coll_block to, int source)
{
    if (s->form == FORM_BLOCKING && !s->is_held && !s->in_flight) {
        s->is_held = true;
        s->held = to;
        s->held_source = source;
        return;
    }
    if (s->is_held)
        post_recv(s, s->held, s->held_source);
    s->is_held = false;
    post_recv(s, to, source);
}

void schedule_wait_round(struct schedule *s)
{
    if (s->is_held)
        post_recv(s, s->held, s->held_source);
    s->is_held = false;
    for (; s->in_flight; s->in_flight--) {
        schedule_note(s, request_wait(s->flight[s->in_flight - 1]));
        request_unref(s->flight[s->in_flight - 1]);
    }
}

bool schedule_finish_round(struct schedule *s)
{
    for (; s->in_flight; s->in_flight--) {
        struct request *r = s->flight[s->in_flight - 1];

        if (!request_is_done(r))
            return false;
        schedule_note(s, request_wait(r)); /* done: gives the error and its note */
        request_unref(r);
    }
    return true;
}

/* The host's copy of a block, to be freed with host_copy_free. */
static int host_copy_new(struct coll_block b, int64_t kinds, struct coll_block *copy)
{
    MPI_Count begin;
    size_t bytes;
    void *memory;
    int error = block_memory(b.type, b.count, &begin, &bytes);

    if (error)
        return error;
    memory = calloc(1, bytes);
    if (!memory)
        return fail(MPI_ERR_NO_MEM, "no memory for a copy of %zu bytes of a device", bytes);
    *copy = (struct coll_block){layout_at(memory, -begin), b.count, b.type};
    error = block_copy(b, *copy, kinds);
    if (error)
        free(memory);
    return error;
}

static void host_copy_free(struct coll_block copy)
{
    MPI_Count begin;
    size_t bytes;

    if (block_memory(copy.type, copy.count, &begin, &bytes) == MPI_SUCCESS)
        free(layout_at(copy.at, begin));
}

static int combine_copies(const struct op *op, struct coll_block from, struct coll_block to, int64_t kinds)
{
    struct coll_block left, right;
    int error = host_copy_new(from, kinds, &left);

    if (error)
        return error;
    error = host_copy_new(to, kinds, &right);
    if (!error) {
        op_apply(op, left.at, right.at, left.count, left.type);
        error = block_copy(right, to, kinds);
        host_copy_free(right);
    }
    host_copy_free(left);
    return error;
}

/* For as many items as both have. What only a device reaches is combined in copies of the host. */
int schedule_combine(const struct op *op, struct coll_block from, struct coll_block to, int64_t kinds)
{
    from.count = to.count = from.count < to.count ? from.count : to.count;
    if (to.count && (datatype_device(from.type, from.at, kinds) || datatype_device(to.type, to.at, kinds)))
        return combine_copies(op, from, to, kinds);
    op_apply(op, from.at, to.at, to.count, to.type);
    return MPI_SUCCESS;
}

/* Where nothing has come, what would have to be received may come nevertheless. */
static void take_slot(struct schedule *s, struct coll_block slot, struct coll_block to, int source)
{
    int64_t due = (int64_t)block_bytes(to), bytes, room = slot.count - (int64_t)sizeof bytes;

    memcpy(&bytes, slot.at, sizeof bytes);
    bytes = bytes ? bytes - 1 : due;
    if (bytes > room)
        start_recv(s, to, source);
    else if (bytes == due)
        schedule_note(
            s, block_copy(block_slice(slot, sizeof bytes, bytes), to, hint_buffer_kinds(&s->comm->hints)));
    else
        schedule_note(s, fail(MPI_ERR_TRUNCATE,
                              "rank %d has %lld bytes in a collective, where this rank takes %lld", source,
                              (long long)bytes, (long long)due));
}

void schedule_do(struct schedule *s, const struct step *step)
{
    const struct coll_block *from = &step->from, *to = &step->to;

    switch ((enum step_kind)step->kind) {
    case STEP_SEND:
        start_send(s, *from, step->peer);
        break;
    case STEP_RECV:
        start_recv(s, *to, step->peer);
        break;
    case STEP_COPY:
        schedule_note(s, block_copy(*from, *to, hint_buffer_kinds(&s->comm->hints)));
        break;
    case STEP_REDUCE:
        schedule_note(s, schedule_combine(s->op, *from, *to, hint_buffer_kinds(&s->comm->hints)));
        break;
    case STEP_UNPACK:
        take_slot(s, *from, *to, step->peer);
        break;
    case STEP_WAIT:
        break;
    case STEP_PUBLISH:
    case STEP_TAKE:
    case STEP_FOLD:
    case STEP_END:
        lines_do(s, step);
    }
}

static bool finish_step(struct schedule *s, const struct step *step)
{
    if (step->kind == STEP_WAIT)
        return schedule_finish_round(s);
    if (step->kind >= STEP_PUBLISH)
        return lines_advance(s, step);
    schedule_do(s, step);
    return true;
}

bool schedule_advance(struct schedule *s)
{
    for (; s->next < s->steps; s->next++)
        if (!finish_step(s, &s->step[s->next]))
            return false;
    return schedule_finish_round(s);
}

enum {
    LOOKS = 64 /* at active schedules in a poll: at thousands each would take long */
};

/* The active schedules, those first that have waited longest to be looked at, or have not been yet. */
static struct poll_queue active = POLL_QUEUE_INIT(active);

/* It leaves the queue if it is done, else it is the last one. */
static void put_back(struct schedule *s, bool is_done)
{
    lock_take(&active.lock);
    poll_queue_remove(&active, &s->link);
    if (!is_done)
        poll_queue_add(&active, &s->link, false);
    lock_release(&active.lock);
}

static void complete_schedule(struct schedule *s)
{
    struct request *r = s->request;

    if (s->error && s->note)
        fail(s->error, "%s", s->note);
    request_complete(r, s->error);
    request_unref(r);
}

/* Looks at some of them, or at all. Returns how many went on. */
static int run_active(bool all)
{
    int count = poll_queue_count(&active), looks = all || count < LOOKS ? count : LOOKS, events = 0;
    struct link *first;

    for (; looks > 0 && (first = poll_queue_next(&active, &active.entries, &active.entries)); looks--) {
        struct schedule *s = LIST_ENTRY(first, struct schedule, link);
        int before = s->next;
        bool is_done = schedule_advance(s);

        events += is_done || s->next != before;
        put_back(s, is_done);
        if (is_done)
            complete_schedule(s);
    }
    return events;
}

static int poll_schedules(bool all)
{
    return poll_queue_run(&active, run_active, all);
}

/* Before all others, of which there may be many. */
void schedule_activate(struct schedule *s)
{
    request_ref(s->request);
    poll_queue_register(&active, poll_schedules);
    lock_take(&active.lock);
    poll_queue_add(&active, &s->link, true);
    lock_release(&active.lock);
    poll_schedules(false);
}
