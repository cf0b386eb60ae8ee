#include "cmd/simulate/count.h"

#include <stdlib.h>
#include <string.h>

struct rank_state {
    double clock, ready; /* ready: when the last thing of this round has ended */
    double taken;        /* what its core has to do for those that came in this round */
    int at;              /* its next step */
    int missing;         /* started in this round and not matched */
    bool waits;
};

/* A send that nobody has received yet, or a receive without a message. */
struct replay_pending {
    uint64_t key; /* sender and receiver; 0: empty */
    double when;
    uint64_t bytes;
    int next; /* of the same two, in order; 0: none */
    int last; /* in the first one: the last of them */
    bool is_send;
};

struct replay {
    const struct pretended *world;
    const struct step_store *store;
    const struct loggp *model;
    struct rank_state *rank;
    double *out, *in;  /* by host: when its interface is free for the next one */
    int *heap, heaped; /* ranks that can go on, those with the least clock first */
    int *table;        /* of keys: number of the first pending one */
    size_t slots;
    struct replay_pending *pending;
    int used, room, unused; /* unused: the first of those that are free again */
};

/* The heap. */

static bool replay_is_before(const struct replay *r, int a, int b)
{
    const double clock = r->rank[a].clock, other = r->rank[b].clock;

    return clock < other || (clock == other && a < b);
}

static void heap_push(struct replay *r, int rank)
{
    int at = r->heaped++;

    for (; at && replay_is_before(r, rank, r->heap[(at - 1) / 2]); at = (at - 1) / 2)
        r->heap[at] = r->heap[(at - 1) / 2];
    r->heap[at] = rank;
}

static int heap_pop(struct replay *r)
{
    int first = r->heap[0], moved = r->heap[--r->heaped], at = 0;

    for (;;) {
        int child = 2 * at + 1;

        if (child >= r->heaped)
            break;
        if (child + 1 < r->heaped && replay_is_before(r, r->heap[child + 1], r->heap[child]))
            child++;
        if (!replay_is_before(r, r->heap[child], moved))
            break;
        r->heap[at] = r->heap[child];
        at = child;
    }
    r->heap[at] = moved;
    return first;
}

/* What waits for its counterpart. */

static uint64_t key_of(int from, int to)
{
    return ((uint64_t)(uint32_t)from << 32 | (uint32_t)to) + 1;
}

static size_t replay_slot_of(const struct replay *r, uint64_t key)
{
    size_t at = (key * 0x9e3779b97f4a7c15 >> 20) & (r->slots - 1);

    while (r->table[at] && r->pending[r->table[at]].key != key)
        at = (at + 1) & (r->slots - 1);
    return at;
}

static bool widen(struct replay *r)
{
    size_t old = r->slots;
    int *table = r->table, *more = calloc(2 * old, sizeof *more);

    if (!more)
        return false;
    r->table = more;
    r->slots = 2 * old;
    for (size_t i = 0; i < old; i++)
        if (table[i])
            r->table[replay_slot_of(r, r->pending[table[i]].key)] = table[i];
    free(table);
    return true;
}

/* The number of a new one; 0: no memory. */
static int new_pending(struct replay *r)
{
    int number = r->unused;

    if (number) {
        r->unused = r->pending[number].next;
        return number;
    }
    if (r->used == r->room) {
        struct replay_pending *more = realloc(r->pending, 2 * (size_t)r->room * sizeof *more);

        if (!more)
            return 0;
        r->pending = more;
        if (2 * (size_t)r->room > r->slots / 2 && !widen(r))
            return 0;
        r->room *= 2;
    }
    return r->used++;
}

static bool keep_pending(struct replay *r, uint64_t key, double when, uint64_t bytes, bool is_send)
{
    int number = new_pending(r), *first = &r->table[replay_slot_of(r, key)];

    if (!number)
        return false;
    r->pending[number] =
        (struct replay_pending){.key = key, .when = when, .bytes = bytes, .last = number, .is_send = is_send};
    if (!*first) {
        *first = number;
        return true;
    }
    r->pending[r->pending[*first].last].next = number;
    r->pending[*first].last = number;
    return true;
}

/* Empties a slot, and closes the gap: those behind it that belong before it move up. */
static void free_slot(struct replay *r, size_t at)
{
    size_t mask = r->slots - 1;

    r->table[at] = 0;
    for (size_t i = (at + 1) & mask; r->table[i]; i = (i + 1) & mask) {
        int number = r->table[i];

        r->table[i] = 0;
        r->table[replay_slot_of(r, r->pending[number].key)] = number;
    }
}

/* Takes the first of them out, if it is of this kind. */
static bool replay_take_pending(struct replay *r, uint64_t key, bool is_send, struct replay_pending *taken)
{
    size_t at = replay_slot_of(r, key);
    int number = r->table[at];

    if (!number || r->pending[number].is_send != is_send)
        return false;
    *taken = r->pending[number];
    if (taken->next) {
        r->pending[taken->next].last = taken->last;
        r->table[at] = taken->next;
    } else {
        free_slot(r, at);
    }
    r->pending[number].next = r->unused;
    r->unused = number;
    return true;
}

/* Messages. */

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* When a message that leaves at `when` has come. */
static double travel(struct replay *r, int from, int to, double when, uint64_t bytes)
{
    int a = pretend_host(r->world, from), b = pretend_host(r->world, to);
    const struct link_model *link = a == b ? &r->model->near : &r->model->far;
    double busy = later(link->gap, (double)bytes * link->byte), leaves, arrives;

    if (a == b)
        return when + link->latency;
    leaves = later(when, r->out[a]);
    r->out[a] = leaves + busy;
    arrives = later(leaves + link->latency, r->in[b]);
    r->in[b] = arrives + busy;
    return arrives + (double)bytes * link->byte;
}

/* Something that the rank has started has ended. */
static void finish(struct replay *r, int rank, double when)
{
    struct rank_state *s = &r->rank[rank];

    s->ready = later(s->ready, when);
    if (--s->missing || !s->waits)
        return;
    s->waits = false;
    s->clock = later(s->clock, s->ready);
    heap_push(r, rank);
}

/* What the receiver's core does for a message. */
static double cost_of_taking(const struct replay *r, int from, int to, uint64_t bytes)
{
    bool is_near = pretend_host(r->world, from) == pretend_host(r->world, to);

    return is_near ? r->model->near.overhead + (double)bytes * r->model->near.byte : r->model->far.overhead;
}

static void replay_meet(struct replay *r, int from, int to, const struct replay_pending *send,
                        double received)
{
    bool is_near = pretend_host(r->world, from) == pretend_host(r->world, to);
    const struct link_model *link = is_near ? &r->model->near : &r->model->far;
    double arrived = send->when;

    if ((double)send->bytes > link->eager) {
        arrived =
            travel(r, from, to, later(send->when + link->latency, received) + link->latency, send->bytes);
        finish(r, from, is_near ? arrived + (double)send->bytes * link->byte : arrived);
    }
    r->rank[to].taken += cost_of_taking(r, from, to, send->bytes);
    finish(r, to, later(arrived, received));
}

static bool replay_start_send(struct replay *r, int rank, int peer, uint64_t bytes)
{
    struct rank_state *s = &r->rank[rank];
    bool is_near = pretend_host(r->world, rank) == pretend_host(r->world, peer);
    const struct link_model *link = is_near ? &r->model->near : &r->model->far;
    struct replay_pending send = {.bytes = bytes}, recv;

    s->clock += link->overhead;
    send.when = s->clock;
    if ((double)bytes > link->eager)
        s->missing++;
    else
        send.when = travel(r, rank, peer, s->clock, bytes);
    if (!replay_take_pending(r, key_of(rank, peer), false, &recv))
        return keep_pending(r, key_of(rank, peer), send.when, bytes, true);
    replay_meet(r, rank, peer, &send, recv.when);
    return true;
}

static bool replay_start_recv(struct replay *r, int rank, int peer)
{
    struct rank_state *s = &r->rank[rank];
    struct replay_pending send;

    s->missing++;
    if (!replay_take_pending(r, key_of(peer, rank), true, &send))
        return keep_pending(r, key_of(peer, rank), s->clock, 0, false);
    replay_meet(r, peer, rank, &send, s->clock);
    return true;
}

static void end_round(struct rank_state *s)
{
    s->clock = later(s->clock, s->ready) + s->taken;
    s->taken = s->ready = 0;
}

/* False: no memory. */
static bool replay_take_step(struct replay *r, int rank, const struct stored *stored,
                             const struct stored_step *step)
{
    struct rank_state *s = &r->rank[rank];
    int peer = step_store_peer(r->store, stored->relation, rank, step->peer);

    s->clock += r->model->step * step->times;
    switch ((enum step_kind)step->kind) {
    case STEP_SEND:
        return replay_start_send(r, rank, peer, step->bytes);
    case STEP_RECV:
        return replay_start_recv(r, rank, peer);
    case STEP_COPY:
        s->clock += (double)step->bytes * r->model->copy;
        break;
    case STEP_REDUCE:
        s->clock += (double)step->bytes * r->model->reduce;
        break;
    case STEP_WAIT:
    case STEP_UNPACK:
    case STEP_PUBLISH:
    case STEP_TAKE:
    case STEP_FOLD:
    case STEP_END:
        break;
    }
    return true;
}

/* Until it has to wait, or others are behind its clock, or its end. */
static bool replay_rank(struct replay *r, int rank)
{
    struct rank_state *s = &r->rank[rank];
    const struct stored *stored = &r->store->stored[r->store->of_rank[rank]];

    for (; s->at < stored->steps; s->at++) {
        const struct stored_step *step = &r->store->step[stored->first + (size_t)s->at];

        if (step->kind == STEP_WAIT && s->missing) {
            s->waits = true;
            return true;
        }
        if (step->kind != STEP_WAIT && !replay_take_step(r, rank, stored, step))
            return false;
        if (step->kind != STEP_WAIT)
            continue;
        end_round(s);
        if (r->heaped && replay_is_before(r, r->heap[0], rank)) { /* others come first now */
            s->at++;
            heap_push(r, rank);
            return true;
        }
    }
    return true;
}

static bool open_replay(struct replay *r)
{
    size_t ranks = (size_t)r->world->ranks, hosts = (size_t)r->world->hosts;

    r->slots = 1024;
    r->room = 512;
    r->used = 1;
    r->rank = calloc(ranks, sizeof *r->rank);
    r->heap = malloc(ranks * sizeof *r->heap);
    r->out = calloc(hosts, sizeof *r->out);
    r->in = calloc(hosts, sizeof *r->in);
    r->table = calloc(r->slots, sizeof *r->table);
    r->pending = malloc((size_t)r->room * sizeof *r->pending);
    return r->rank && r->heap && r->out && r->in && r->table && r->pending;
}

static double last_clock(const struct replay *r)
{
    double last = 0;

    for (int i = 0; i < r->world->ranks; i++) {
        if (r->rank[i].at < r->store->stored[r->store->of_rank[i]].steps)
            return -1;
        last = later(last, r->rank[i].clock);
    }
    return last;
}

double replay(const struct pretended *world, const struct step_store *store, const struct loggp *model)
{
    struct replay r = {.world = world, .store = store, .model = model};
    bool goes_on = open_replay(&r);
    double last;

    for (int i = 0; goes_on && i < world->ranks; i++)
        heap_push(&r, i);
    while (goes_on && r.heaped)
        goes_on = replay_rank(&r, heap_pop(&r));
    last = goes_on ? last_clock(&r) : -1;
    free(r.rank);
    free(r.heap);
    free(r.out);
    free(r.in);
    free(r.table);
    free(r.pending);
    return last;
}
