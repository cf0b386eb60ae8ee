/* Building: what happens to each step as the builder calls for it. Running what is kept: schedule_run.c. */
#include "coll/sched/schedule.h"

#include "base/live.h"
#include "coll/shm/host_tree.h"
#include "p2p/lost.h"
#include "plain/fail.h"
#include "plain/log.h"
#include "progress/progress.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Memory beyond first_scratch. */
struct schedule_scratch {
    struct schedule_scratch *next;
    _Alignas(16) unsigned char memory[];
};

static struct lock free_lock = LOCK_INIT; /* guards free_list */
static struct link free_list = LIST_INIT(free_list);

static struct schedule *take_free(void)
{
    struct link *l = NULL;

    lock_take(&free_lock);
    if (!list_is_empty(&free_list)) {
        l = free_list.prev; /* the last one to be freed: still in the cache */
        list_remove(l);
    }
    lock_release(&free_lock);
    return l ? LIST_ENTRY(l, struct schedule, link) : malloc(sizeof(struct schedule));
}

static void give_free(struct schedule *s)
{
    live_add(LIVE_SCHEDULE, -1);
    lock_take(&free_lock);
    list_add(&free_list, &s->link);
    lock_release(&free_lock);
}

int schedule_next_tag(struct comm *comm)
{
    return (int)(comm->coll_sequence++ & (INT_MAX >> 1));
}

/* Numbers of their own, so that one that lives long is not met again when the others have wrapped. */
static int next_persistent_tag(struct comm *comm)
{
    return (int)(comm->persistent_sequence++ & (INT_MAX >> 1)) + INT_MAX / 2 + 1;
}

int schedule_open(struct comm *comm, enum form form, const struct op *op, struct schedule **schedule)
{
    struct comm *whole = comm_whole(comm);

    return schedule_open_as(comm, form, op,
                            form == FORM_PERSISTENT ? next_persistent_tag(whole) : schedule_next_tag(whole),
                            schedule);
}

int schedule_open_as(struct comm *comm, enum form form, const struct op *op, int tag,
                     struct schedule **schedule)
{
    struct schedule *s;

    s = take_free();
    if (!s)
        return fail(MPI_ERR_NO_MEM, "no memory for the schedule of a collective");
    live_add(LIVE_SCHEDULE, 1);
    s->owner = comm;
    s->comm = comm_whole(comm);
    s->op = op;
    schedule_leave(s);
    s->tag = tag;
    s->form = form;
    s->wants_request = form != FORM_BLOCKING;
    s->keeps = form == FORM_PERSISTENT;
    s->started = 0;
    s->tree = NULL;
    s->published = 0;
    s->stays_awake = false;
    s->looks = 0;
    s->error = 0;
    s->note = NULL;
    s->in_flight = 0;
    s->flight = s->first_flight;
    s->flight_limit = ROUND_LIMIT;
    s->is_held = false;
    s->step = s->first_step;
    s->steps = s->next = 0;
    s->capacity = FIRST_STEPS;
    s->request = NULL;
    s->scratch = NULL;
    s->scratch_used = 0;
    if (form != FORM_PERSISTENT)
        schedule_note(s, lost_check_collective(s->comm, tag));
    list_init(&s->link);
    *schedule = s;
    return MPI_SUCCESS;
}

void schedule_enter(struct schedule *s, struct schedule_team team)
{
    s->team = team;
    s->rank = team.me;
    s->size = team.size;
}

void schedule_leave(struct schedule *s)
{
    schedule_enter(s, (struct schedule_team){.size = s->comm->size, .me = s->comm->rank});
}

/* Only what is kept by a request has references. */
static void drop_references(struct schedule *s)
{
    for (int i = 0; i < s->steps; i++) {
        if (s->step[i].from.type)
            datatype_unref(s->step[i].from.type);
        if (s->step[i].to.type)
            datatype_unref(s->step[i].to.type);
    }
    if (s->op)
        op_unref((struct op *)(uintptr_t)s->op);
    comm_unref(s->owner);
}

static void add_references(struct schedule *s)
{
    for (int i = 0; i < s->steps; i++) {
        if (s->step[i].from.type)
            datatype_ref(s->step[i].from.type);
        if (s->step[i].to.type)
            datatype_ref(s->step[i].to.type);
    }
    if (s->op)
        object_ref((struct object *)(uintptr_t)&s->op->object);
    comm_ref(s->owner);
}

void schedule_free(struct schedule *s)
{
    struct schedule_scratch *next;

    if (s->tree && s->form == FORM_PERSISTENT) /* release: pairs with the acquire in host_tree_making.c */
        atomic_store_explicit(&s->tree->is_over, true, memory_order_release);
    if (s->request)
        drop_references(s);
    if (s->step != s->first_step)
        free(s->step);
    if (s->flight != s->first_flight)
        free(s->flight);
    for (; s->scratch; s->scratch = next) {
        next = s->scratch->next;
        free(s->scratch);
    }
    free(s->note);
    give_free(s);
}

void schedule_note(struct schedule *s, int error)
{
    if (!error || s->error)
        return;
    s->error = error;
    s->note = strdup(fail_note());
}

/* The error of a schedule that ends without a request. */
static int end_schedule(struct schedule *s)
{
    int error = s->error;

    if (error && s->note)
        fail(error, "%s", s->note);
    schedule_free(s);
    return error;
}

static void release_schedule(struct request *r)
{
    schedule_free(*(struct schedule **)(void *)r->space);
}

/* One round of a persistent operation. */
static int start_schedule(struct request *r)
{
    struct schedule *s = *(struct schedule **)(void *)r->space;

    free(s->note);
    s->note = NULL;
    s->error = 0;
    schedule_note(s, lost_check_collective(s->comm, s->tag));
    s->next = 0;
    if (s->tree)
        s->call = host_tree_begin(s->tree);
    schedule_activate(s);
    return MPI_SUCCESS;
}

static const struct request_ops once_ops = {.release = release_schedule};
static const struct request_ops persistent_ops = {.start = start_schedule, .release = release_schedule};

static int new_schedule_request(struct schedule *s, struct request **request)
{
    struct request *r;
    bool is_persistent = s->form == FORM_PERSISTENT;
    int error = request_new(REQUEST_COLL, is_persistent ? &persistent_ops : &once_ops, &r);

    if (error)
        return error;
    *(struct schedule **)(void *)r->space = s;
    r->owner = &s->owner->object;
    r->persistent = is_persistent;
    s->request = r;
    add_references(s);
    *request = r;
    return MPI_SUCCESS;
}

static void release_owner(struct request *r)
{
    comm_unref((struct comm *)(void *)r->owner);
}

/* NULL: no memory. */
__attribute__((noinline, cold)) static struct request *make_done(struct comm *comm)
{
    static const struct request_ops ops = {.release = release_owner};
    struct request *own;

    if (request_new(REQUEST_COLL, &ops, &own))
        return NULL;
    comm_ref(comm);
    own->owner = &comm->object;
    own->active = true;
    request_complete(own, MPI_SUCCESS);
    return own;
}

struct request *schedule_done(struct comm *comm)
{
    if (__builtin_expect(request_is_never_shared, 0))
        return make_done(comm);
    if (!comm->done)
        comm->done = request_done_take(&comm->object);
    return comm->done;
}

/* Without memory for a request, a nonblocking operation is finished here and now. */
static int finish_schedule_now(struct schedule *s)
{
    struct wait w = WAIT_START;

    while (!schedule_advance(s))
        progress_wait(&w);
    return end_schedule(s);
}

static int close_nonblocking(struct schedule *s, struct request **request)
{
    struct request *done;
    int error;

    if (!s->keeps) {
        done = s->error ? NULL : schedule_done(s->owner);
        error = end_schedule(s);
        if (!error && !done)
            return fail(MPI_ERR_NO_MEM, "no memory for a request");
        if (!error)
            *request = done;
        return error;
    }
    error = new_schedule_request(s, request);
    if (error) {
        finish_schedule_now(s);
        return fail(error, "no memory for the request of a collective");
    }
    (*request)->active = true;
    schedule_activate(s);
    return MPI_SUCCESS;
}

int schedule_close(struct schedule *s, struct request **request)
{
    int error;

    schedule_wait(s);
    if (!s->wants_request)
        return end_schedule(s);
    if (s->form != FORM_PERSISTENT)
        return close_nonblocking(s, request);
    error = s->error ? s->error : new_schedule_request(s, request);
    schedule_note(s, error);
    return error ? end_schedule(s) : MPI_SUCCESS;
}

/* Room for one more step. Without memory a nonblocking operation becomes a blocking one. */
static bool step_reserve_one(struct schedule *s)
{
    int capacity = s->capacity * 2;
    struct step *bigger;

    if (s->steps < s->capacity)
        return true;
    bigger = s->step == s->first_step ? malloc((size_t)capacity * sizeof *bigger)
                                      : realloc(s->step, (size_t)capacity * sizeof *bigger);
    if (!bigger)
        return false;
    if (s->step == s->first_step)
        memcpy(bigger, s->first_step, sizeof s->first_step);
    s->step = bigger;
    s->capacity = capacity;
    return true;
}

static void run_blocking(struct schedule *s, const struct step *step)
{
    struct wait w = WAIT_START;

    while (!schedule_advance(s))
        progress_wait(&w);
    s->steps = s->next = 0;
    s->keeps = false;
    s->form = FORM_BLOCKING;
    if (step->kind == STEP_WAIT)
        schedule_wait(s);
    else
        schedule_do(s, step);
}

static void keep_step(struct schedule *s, struct step step)
{
    if (step_reserve_one(s))
        s->step[s->steps++] = step;
    else if (s->form == FORM_PERSISTENT)
        schedule_note(s, fail(MPI_ERR_NO_MEM, "no memory for %d steps of a collective", s->steps));
    else
        run_blocking(s, &step);
}

void schedule_add(struct schedule *s, struct step step)
{
    if (s->keeps)
        keep_step(s, step);
    else
        schedule_do(s, &step);
}

void schedule_reserve(struct schedule *s, int operations)
{
    struct request **more;

    if (operations <= s->flight_limit || s->in_flight)
        return;
    more = malloc((size_t)operations * sizeof *more);
    if (!more) /* perhaps there is some by now */
        more = malloc((size_t)operations * sizeof *more);
    if (!more)
        log_die("no memory for %d sends and receives of a collective at once", operations);
    if (s->flight != s->first_flight)
        free(s->flight);
    s->flight = more;
    s->flight_limit = operations;
}

static void count_start(struct schedule *s)
{
    if (s->started == s->flight_limit)
        schedule_wait(s);
    s->started++;
}

void schedule_send(struct schedule *s, struct coll_block from, int dest)
{
    count_start(s);
    schedule_add(s, (struct step){.kind = STEP_SEND, .peer = schedule_team_at(&s->team, dest), .from = from});
}

void schedule_recv(struct schedule *s, struct coll_block to, int source)
{
    count_start(s);
    schedule_add(s, (struct step){.kind = STEP_RECV, .peer = schedule_team_at(&s->team, source), .to = to});
}

void schedule_wait(struct schedule *s)
{
    if (!s->started)
        return;
    s->started = 0;
    if (s->form == FORM_BLOCKING) {
        schedule_wait_round(s);
        return;
    }
    if (!s->keeps && schedule_finish_round(s))
        return;
    s->keeps = true;
    keep_step(s, (struct step){.kind = STEP_WAIT});
}

void schedule_exchange(struct schedule *s, struct coll_block from, int dest, struct coll_block to, int source)
{
    schedule_recv(s, to, source);
    schedule_send(s, from, dest);
    schedule_wait(s);
}

void schedule_copy(struct schedule *s, struct coll_block from, struct coll_block to)
{
    if (from.count || to.count)
        schedule_add(s, (struct step){.kind = STEP_COPY, .from = from, .to = to});
}

void schedule_keep(struct schedule *s, struct coll_block from, struct coll_block to)
{
    if (from.at != to.at || from.type != to.type)
        schedule_copy(s, from, to);
}

void schedule_reduce(struct schedule *s, struct coll_block from, struct coll_block into)
{
    if (from.count && into.count && into.type->size)
        schedule_add(s, (struct step){.kind = STEP_REDUCE, .from = from, .to = into});
}

void schedule_unpack(struct schedule *s, struct coll_block slot, struct coll_block to, int source)
{
    count_start(s);
    schedule_add(
        s, (struct step){
               .kind = STEP_UNPACK, .peer = schedule_team_at(&s->team, source), .from = slot, .to = to});
}

static void *take_scratch(struct schedule *s, size_t bytes)
{
    struct schedule_scratch *more;
    size_t rounded = (bytes + 15) & ~(size_t)15;

    if (rounded <= FIRST_SCRATCH - s->scratch_used) {
        s->scratch_used += rounded;
        return s->first_scratch + s->scratch_used - rounded;
    }
    more = malloc(sizeof *more + bytes);
    if (!more)
        return NULL;
    more->next = s->scratch;
    s->scratch = more;
    return more->memory;
}

static void *take_or_die(struct schedule *s, size_t bytes)
{
    void *memory = take_scratch(s, bytes);

    if (!memory)
        log_die("no memory for %zu bytes of ranks or places that a collective names", bytes);
    return memory;
}

int *schedule_ranks(struct schedule *s, int count)
{
    return take_or_die(s, (size_t)count * sizeof(int));
}

MPI_Count *schedule_offsets(struct schedule *s, int count)
{
    return take_or_die(s, (size_t)count * sizeof(MPI_Count));
}

struct vectors schedule_vectors(struct schedule *s, int vectors, MPI_Count count, struct datatype *type)
{
    struct vectors v = {{NULL, vectors ? count : 0, type}, 0};
    MPI_Count begin;
    size_t bytes, all = 0;
    int error = block_memory(type, v.first.count, &begin, &bytes);

    if (!error && (__builtin_add_overflow(bytes, 15, &bytes) ||
                   __builtin_mul_overflow(bytes & ~(size_t)15, (size_t)vectors, &all)))
        error = fail(MPI_ERR_COUNT, "%d vectors of %lld items are more than an address can reach", vectors,
                     (long long)count);
    v.apart = (MPI_Count)(bytes & ~(size_t)15);
    if (!error && all) {
        void *memory = take_scratch(s, all);

        if (memory)
            v.first.at = layout_at(memory, -begin);
        else
            error = fail(MPI_ERR_NO_MEM, "no memory for %zu bytes that a collective needs", all);
    }
    schedule_note(s, error);
    if (error)
        v.first.count = 0;
    return v;
}

struct coll_block schedule_scratch(struct schedule *s, MPI_Count count, struct datatype *type)
{
    return schedule_vectors(s, 1, count, type).first;
}
