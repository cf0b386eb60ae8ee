#include "cmd/simulate/count.h"

#include "cmd/simulate/step_store.h"

#include <stdlib.h>

enum {
    SAMPLED_STEPS = 300 * 1000 * 1000, /* steps of all ranks, from which on some are enough */
    MOST_LOOKS = 61                    /* ranks that tell how many there will be */
};

/* What is being counted. */
struct counting {
    struct pretended *world;
    const struct pretended_call *call;
    const struct loggp *model;
    struct call_cost *cost;
    uint64_t *out, *in, *out_messages, *in_messages; /* by host */
    double busiest;                                  /* seconds of a rank that never waits */
};

static bool open_counting(struct counting *c)
{
    size_t hosts = (size_t)c->world->hosts;

    c->out = calloc(4 * hosts, sizeof *c->out);
    if (!c->out)
        return false;
    c->in = c->out + hosts;
    c->out_messages = c->in + hosts;
    c->in_messages = c->out_messages + hosts;
    return true;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A message of the rank, as it is on its host's interface. */
static double count_cost_of_message(struct counting *c, int host, const struct step *step)
{
    int other = pretend_host(c->world, step->peer);
    bool sends = step->kind == STEP_SEND, is_near = other == host;
    uint64_t bytes = (uint64_t)block_bytes(sends ? step->from : step->to);
    const struct link_model *link = is_near ? &c->model->near : &c->model->far;

    if (!is_near) {
        *(sends ? &c->out[host] : &c->in[host]) += bytes;
        *(sends ? &c->out_messages[host] : &c->in_messages[host]) += 1;
    }
    return link->overhead + (is_near && sends ? 0 : (double)bytes * link->byte);
}

static double count_step(struct counting *c, int host, const struct step *step, uint64_t own[4])
{
    uint64_t bytes = (uint64_t)block_bytes(step->kind == STEP_RECV ? step->to : step->from);

    switch ((enum step_kind)step->kind) {
    case STEP_SEND:
    case STEP_RECV:
        own[step->kind == STEP_RECV]++;
        own[2 + (step->kind == STEP_RECV)] += bytes;
        return count_cost_of_message(c, host, step);
    case STEP_COPY:
        return (double)bytes * c->model->copy;
    case STEP_REDUCE:
        return (double)bytes * c->model->reduce;
    case STEP_WAIT:
    case STEP_UNPACK:
    case STEP_PUBLISH: /* shared memory is not simulated */
    case STEP_TAKE:
    case STEP_FOLD:
    case STEP_END:
        break;
    }
    return 0;
}

static void count_rank(struct counting *c, int rank, const struct schedule *s)
{
    int host = pretend_host(c->world, rank);
    uint64_t own[4] = {0}; /* messages and bytes, sent and received */
    double seconds = 0;

    for (int i = 0; i < s->steps; i++)
        if (s->step[i].kind != STEP_WAIT)
            seconds += count_step(c, host, &s->step[i], own) + c->model->step;
    c->cost->rank_messages = most(c->cost->rank_messages, own[0] + own[1]);
    c->cost->rank_bytes = most(c->cost->rank_bytes, own[2] + own[3]);
    c->cost->sent_most = most(c->cost->sent_most, own[0]);
    c->cost->all_messages += own[0];
    c->cost->all_bytes += own[2];
    c->busiest = seconds > c->busiest ? seconds : c->busiest;
}

/* Builds and counts ranks `from` to `to` - 1, and keeps their schedules in the store; NULL: does not keep them. */
static bool count_ranks(struct counting *c, int from, int to, struct step_store *store)
{
    for (int rank = from; rank < to; rank++) {
        struct schedule *s = pretend_build(c->world, c->call, rank);
        bool is_kept = s && (!store || step_store_add(store, rank, s));

        if (s && is_kept)
            count_rank(c, rank, s);
        if (s)
            schedule_free(s);
        if (!is_kept)
            return false;
    }
    return true;
}

static void sum_hosts(struct counting *c)
{
    for (int h = 0; h < c->world->hosts; h++) {
        c->cost->host_bytes = most(c->cost->host_bytes, most(c->out[h], c->in[h]));
        c->cost->host_messages = most(c->cost->host_messages, most(c->out_messages[h], c->in_messages[h]));
    }
}

/* The first host, one in the middle and the last one. Ranks of the others are like theirs in all algorithms that there are. */
static bool count_sample(struct counting *c)
{
    int hosts[] = {0, c->world->hosts / 2, c->world->hosts - 1};
    double interface;

    c->cost->is_sample = true;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if ((i == 0 || hosts[i] != hosts[i - 1]) &&
            !count_ranks(c, pretend_first(c->world, hosts[i]), pretend_first(c->world, hosts[i] + 1), NULL))
            return false;
    sum_hosts(c);
    c->cost->all_messages = c->cost->all_bytes = 0;
    interface = (double)c->cost->host_bytes * c->model->far.byte;
    if ((double)c->cost->host_messages * c->model->far.gap > interface)
        interface = (double)c->cost->host_messages * c->model->far.gap;
    c->cost->seconds = interface > c->busiest ? interface : c->busiest;
    return true;
}

static bool count_all(struct counting *c)
{
    struct step_store store;
    bool is_kept = step_store_open(&store, c->world->ranks) && count_ranks(c, 0, c->world->ranks, &store);

    if (is_kept) {
        sum_hosts(c);
        c->cost->seconds = replay(c->world, &store, c->model);
    }
    step_store_close(&store);
    return is_kept;
}

/* Steps of all ranks, as far as some tell that lie everywhere in their hosts. -1: they cannot be built. */
static int64_t estimate_steps(struct counting *c)
{
    int looks = c->world->ranks < MOST_LOOKS ? c->world->ranks : MOST_LOOKS;
    int64_t steps = 0;

    for (int i = 0; i < looks; i++) {
        int64_t rank = (int64_t)i * (c->world->ranks - 1) / looks + i % 7;
        struct schedule *s = pretend_build(c->world, c->call, (int)(rank % c->world->ranks));

        if (!s)
            return -1;
        steps += s->steps;
        schedule_free(s);
    }
    return steps * c->world->ranks / looks;
}

bool count_cost(struct pretended *world, const struct pretended_call *call, const struct loggp *model,
                struct call_cost *cost)
{
    struct counting c = {.world = world, .call = call, .model = model, .cost = cost};
    int64_t steps = estimate_steps(&c);
    bool done;

    *cost = (struct call_cost){.seconds = -1};
    if (steps < 0 || !open_counting(&c))
        return false;
    if (steps > SAMPLED_STEPS) {
        done = count_sample(&c);
        free(c.out);
        return done;
    }
    done = count_all(&c);
    free(c.out);
    return done;
}

static double rounds(int of)
{
    double count = 0;

    for (int reached = 1; reached<of; reached = reached> of / 2 ? of : 2 * reached)
        count++;
    return count;
}

/* Bytes that the interface of one host must let through in one direction, or a core where there is one host. */
static double bytes_at_least(const struct pretended *world, const struct pretended_call *call)
{
    double bytes = (double)call->bytes, ranks = world->ranks, hosts = world->hosts;
    double near = world->hosts > 1 ? ranks / hosts : 1, far = ranks - near;

    switch (call->list->collective) {
    case COLL_ALLREDUCE:
        return 2 * bytes * far / ranks;
    case COLL_ALLGATHER:
    case COLL_GATHER:
    case COLL_SCATTER:
    case COLL_REDUCE_SCATTER:
        return bytes * far;
    case COLL_ALLTOALL:
        return bytes * near * far;
    case COLL_BARRIER:
    case COLL_COUNT:
        return 0;
    case COLL_BCAST:
    case COLL_REDUCE:
    case COLL_SCAN:
        break;
    }
    return bytes;
}

double count_bound(const struct pretended *world, const struct pretended_call *call,
                   const struct loggp *model)
{
    const struct link_model *near = &model->near, *far = &model->far;
    int on_host = (world->ranks + world->hosts - 1) / world->hosts;
    double way = rounds(world->hosts) * (far->latency + 2 * far->overhead) +
                 rounds(on_host) * (near->latency + 2 * near->overhead);
    double through = bytes_at_least(world, call) * (world->hosts > 1 ? far->byte : near->byte);

    return way > through ? way : through;
}
