#include "coll/algo/in_host.h"

#include "coll/algo/algorithm.h"
#include "coll/algo/packed.h"
#include "coll/sched/lines.h"
#include "coll/shm/host_tree_making.h"

enum {
    TAG_RANKS = 1024,
    TAG_UPPER = 16
};

/* What the ranks of a call agree on. */
static uint32_t in_host_tag(const struct coll_call *call)
{
    uint32_t op = !call->op ? 0 : call->op->code >= OP_USER ? OP_USER + 1u : call->op->code + 1u;

    return op << TAG_UPPER |
           (uint32_t)(call->list->collective * TAG_RANKS + (call->root < 0 ? 0 : call->root % TAG_RANKS));
}

void in_host_open_all(struct in_host *host, struct schedule *s, const struct coll_call *call, int speaker)
{
    struct coll_call whole = *call;

    whole.bytes *= (size_t)s->size;
    in_host_open(host, s, &whole, in_host_all(s), speaker);
}

void in_host_open(struct in_host *host, struct schedule *s, const struct coll_call *call,
                  struct schedule_team team, int speaker)
{
    *host = (struct in_host){.s = s, .team = team, .speaker = speaker};
    if (!call->op || (call->in.type->dense && call->in.type->representation != REP_NONE))
        host->tree = host_tree_find(s->comm, s->form, call->bytes);
    if (!host->tree)
        return;
    host->toward = host_tree_toward(host->tree, speaker);
    host->neighbours = host->tree->boxes->size;
    host->self = host->tree->boxes->rank;
    lines_use(s, host->tree, in_host_tag(call));
}

static bool is_speaker(const struct in_host *host)
{
    return host->toward == host->self;
}

/* Whether this neighbour is on the other side of this rank than the speaker. */
static bool in_host_is_behind(const struct in_host *host, int neighbour)
{
    return neighbour != host->self && neighbour != host->toward;
}

static bool has_behind(const struct in_host *host)
{
    return host->neighbours > 1 + !is_speaker(host);
}

/* Where this rank combines what comes from behind. */
static struct coll_block in_host_sum(struct in_host *host, struct coll_block input, struct coll_block result)
{
    struct coll_block sum = input;

    if (is_speaker(host))
        sum = result;
    else if (has_behind(host))
        sum = schedule_scratch(host->s, input.count, input.type);
    schedule_keep(host->s, input, sum);
    return sum;
}

void in_host_reduce(struct in_host *host, struct coll_block input, struct coll_block result)
{
    struct coll_block sum;

    if (!host->tree) {
        schedule_enter(host->s, host->team);
        tree_reduce(host->s, input, result, host->speaker);
        schedule_leave(host->s);
        return;
    }
    sum = in_host_sum(host, input, result);
    for (int i = 0; i < host->neighbours; i++)
        if (in_host_is_behind(host, i))
            lines_fold(host->s, sum, i, LINE_UP);
    if (!is_speaker(host))
        lines_publish(host->s, sum, LINE_UP, host->toward);
}

/* All places but these: from behind them on, and round to them. */
static struct tree_span all_but(const struct host_tree *t, struct tree_span span)
{
    return (struct tree_span){(int16_t)(span.first + span.ranks), (int16_t)(t->size - span.ranks)};
}

/* The places of the ranks on the other side of a neighbour, a child or the parent. */
static struct tree_span span_behind(const struct in_host *host, int neighbour)
{
    const struct host_tree *t = host->tree;

    return neighbour < host->self ? t->span[t->member[neighbour]] : all_but(t, t->span[t->rank]);
}

/* Of those whose items pass through this rank. */
static struct tree_span span_passing(const struct in_host *host)
{
    const struct host_tree *t = host->tree;

    if (is_speaker(host))
        return (struct tree_span){t->span[t->rank].first, (int16_t)t->size};
    return host->toward < host->self ? all_but(t, span_behind(host, host->toward)) : t->span[t->rank];
}

/* The part of what passes through this rank that belongs to these places. */
static struct coll_block part_held(const struct in_host *host, struct coll_block held, MPI_Count each,
                                   struct tree_span part)
{
    int from = part.first - span_passing(host).first, size = host->tree->size;

    return block_slice(held, (from + size) % size * each, part.ranks * each);
}

static void gather_by_messages(struct in_host *host, struct coll_block mine, struct datatype *type,
                               MPI_Count each, struct coll_block all)
{
    struct packed parts = {.type = type, .each = each};

    schedule_enter(host->s, host->team);
    packed_gather(host->s, &parts, mine, all, host->speaker);
    schedule_leave(host->s);
}

void in_host_gather(struct in_host *host, struct coll_block mine, struct datatype *type, MPI_Count each,
                    struct coll_block all)
{
    struct coll_block held = is_speaker(host) ? all : mine;
    struct tree_span own;

    if (!host->tree) {
        gather_by_messages(host, mine, type, each, all);
        return;
    }
    if (!is_speaker(host) && has_behind(host))
        held = schedule_scratch(host->s, span_passing(host).ranks * each, type);
    for (int i = 0; i < host->neighbours; i++)
        if (in_host_is_behind(host, i))
            lines_take(host->s, part_held(host, held, each, span_behind(host, i)), i, LINE_UP);
    own = (struct tree_span){host->tree->span[host->tree->rank].first, 1};
    if (is_speaker(host) || has_behind(host))
        schedule_keep(host->s, mine, part_held(host, held, each, own));
    if (!is_speaker(host))
        lines_publish(host->s, held, LINE_UP, host->toward);
}

int in_host_place(const struct in_host *host, int rank)
{
    const struct tree_span *span = host->tree ? host->tree->span : NULL;
    int from = span ? span[rank].first - span[host->speaker].first : rank - host->speaker;

    return (from + host->team.size) % host->team.size;
}

const int *in_host_order(const struct in_host *host)
{
    int *order = schedule_ranks(host->s, host->team.size);

    for (int r = 0; r < host->team.size; r++)
        order[in_host_place(host, r)] = r;
    return order;
}

static void take_and_hand_on(struct in_host *host, struct coll_block b)
{
    if (!is_speaker(host))
        lines_take(host->s, b, host->toward, LINE_DOWN);
    if (has_behind(host))
        lines_publish(host->s, b, LINE_DOWN, -1);
}

void in_host_bcast(struct in_host *host, struct coll_block b)
{
    schedule_wait(host->s);
    if (host->tree) {
        take_and_hand_on(host, b);
        return;
    }
    schedule_enter(host->s, host->team);
    tree_bcast(host->s, b, host->speaker);
    schedule_leave(host->s);
}

void in_host_arrive(struct in_host *host)
{
    struct schedule *s = host->s;

    if (!host->tree) {
        schedule_enter(s, host->team);
        star_hear(s, host->speaker);
        schedule_leave(s);
        return;
    }
    for (int i = 0; i < host->neighbours; i++)
        if (in_host_is_behind(host, i))
            lines_take(s, block_empty(), i, LINE_UP);
    if (!is_speaker(host))
        lines_publish(s, block_empty(), LINE_UP, host->toward);
}

void in_host_release(struct in_host *host)
{
    schedule_wait(host->s);
    if (host->tree) {
        take_and_hand_on(host, block_empty());
        return;
    }
    schedule_enter(host->s, host->team);
    star_tell(host->s, host->speaker);
    schedule_leave(host->s);
}

void in_host_close(struct in_host *host)
{
    if (host->tree)
        lines_end(host->s);
}
