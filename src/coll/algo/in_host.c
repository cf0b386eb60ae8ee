#include "coll/algo/in_host.h"

#include "coll/algo/algorithm.h"
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
