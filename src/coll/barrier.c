#include "coll/coll.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/host_groups.h"
#include "coll/algo/in_host.h"
#include "coll/dispatch.h"
#include "coll/shm/engine.h"

#include <limits.h>
#include <stdint.h>

/* 2(n-1) messages and two wake-ups a rank: the fewest context switches when ranks outnumber cores. */
static void barrier_star(struct schedule *s, const struct coll_call *call)
{
    (void)call;
    star_hear(s, 0);
    star_tell(s, 0);
}

/* The i-th child of a rank in the binomial tree is 2^i above it, its parent has its lowest bit cleared. */
static void barrier_tree(struct schedule *s, const struct coll_call *call)
{
    int parent = s->rank & (s->rank - 1), above = s->rank ? s->rank - parent : s->size;

    (void)call;
    for (int bit = 1; bit < above && s->rank + bit < s->size; bit *= 2)
        star_listen(s, s->rank + bit);
    schedule_wait(s);
    if (s->rank) {
        star_signal(s, parent);
        star_listen(s, parent);
    }
    schedule_wait(s);
    for (int bit = 1; bit < above && s->rank + bit < s->size; bit *= 2)
        star_signal(s, s->rank + bit);
}

/* In round k each rank hears, directly or not, from the 2^k ranks before it. */
static void barrier_dissemination(struct schedule *s, const struct coll_call *call)
{
    (void)call;
    for (int distance = 1; distance < s->size; distance *= 2) {
        star_listen(s, (s->rank - distance + s->size) % s->size);
        star_signal(s, (s->rank + distance) % s->size);
        schedule_wait(s);
    }
}

static void barrier_hosts(struct schedule *s, const struct coll_call *call)
{
    const struct host_groups *hosts = host_groups_of(s->comm);
    struct schedule_team leaders = host_groups_leaders(s, hosts, -1);
    struct in_host host;

    in_host_open(&host, s, call, host_groups_local(hosts, s->rank), 0);
    in_host_arrive(&host);
    if (leaders.me >= 0) {
        schedule_enter(s, leaders);
        barrier_dissemination(s, call);
        schedule_leave(s);
    }
    in_host_release(&host);
    in_host_close(&host);
}

static void barrier_mailbox_tree(struct schedule *s, const struct coll_call *call)
{
    struct in_host host;

    in_host_open(&host, s, call, in_host_all(s), 0);
    if (!host.tree) {
        barrier_dissemination(s, call);
        return;
    }
    in_host_arrive(&host);
    in_host_release(&host);
    in_host_close(&host);
}

static const struct shm_step flat_steps[] = {
    {.way = WAY_ALL, .put = engine_put_nothing, .take = engine_take_nothing}};
static const struct shm_step up_down_steps[] = {
    {.way = WAY_TO_ROOT, .put = engine_put_nothing, .take = engine_take_nothing},
    {.way = WAY_FROM_ROOT, .put = engine_put_nothing, .take = engine_take_nothing},
};

static void barrier_mailbox(struct shm_run *run)
{
    if (run->boxes->size <= FLAT_MOST)
        engine_set_steps(run, flat_steps, 1);
    else
        engine_set_steps(run, up_down_steps, 2);
}

int coll_barrier(struct comm *comm, enum form form, struct info *info, struct request **request)
{
    struct coll_call call = {.list = &barrier_list, .in = block_empty(), .out = block_empty()};

    return dispatch_call(comm, &call, form, info, request);
}

/* The rows of the table. gen/coll_rows.py copies all that follows, without builders and plans, for `inkling coll` and the hint rows. */
enum {
    MAILBOX,
    STAR,
    TREE,
    HOSTS,
    MAILBOX_TREE,
    DISSEMINATION
};

static const struct choice_algorithm algorithms[] = {
    [MAILBOX] = {"mailbox", TRAIT_MAILBOX, "through memory that the ranks of a host share",
                 .plan = barrier_mailbox},
    [STAR] = {"star", 0, "rank 0 hears from all and tells all", .build = barrier_star},
    [TREE] = {"tree", 0, "up a binomial tree and down again", .build = barrier_tree},
    [HOSTS] = {"hosts", TRAIT_HOSTS, "in the memory of each host, dissemination between their leaders",
               .build = barrier_hosts},
    [MAILBOX_TREE] = {"mailbox_tree", TRAIT_TREE, "up and down a tree of the ranks of a host, in its memory",
                      .build = barrier_mailbox_tree},
    [DISSEMINATION] = {"dissemination", 0, "log2(ranks) rounds of exchanges", .build = barrier_dissemination},
};

static const struct choice_rule rules[] = {
    {MAILBOX, 0, SIZE_MAX, 2, 64},
    {MAILBOX_TREE, 0, SIZE_MAX, 65, 1024},
    {HOSTS, 0, SIZE_MAX, 2, INT_MAX},
    {DISSEMINATION, 0, SIZE_MAX, 1, INT_MAX},
};

const struct choice_list barrier_list = {.name = "barrier",
                                         .collective = COLL_BARRIER,
                                         .algorithm = algorithms,
                                         .algorithms = sizeof algorithms / sizeof *algorithms,
                                         .rule = rules,
                                         .rules = sizeof rules / sizeof *rules};
