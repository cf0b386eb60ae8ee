#include "coll/sched/lines.h"

#include "p2p/lost.h"
#include "progress/progress.h"

void lines_use(struct schedule *s, struct host_tree *tree, uint32_t tag)
{
    s->tree = tree;
    s->line_tag = tag;
    if (s->form != FORM_PERSISTENT) /* else each start begins one */
        s->call = host_tree_begin(tree);
    s->keeps = s->form != FORM_BLOCKING;
}

static void lines_add(struct schedule *s, enum step_kind kind, struct coll_block block, int neighbour,
                      enum tree_line line)
{
    schedule_add(s, (struct step){.kind = kind, .line = line, .peer = neighbour, .from = block});
}

void lines_publish(struct schedule *s, struct coll_block from, enum tree_line line, int reader)
{
    lines_add(s, STEP_PUBLISH, from, reader, line);
}

void lines_take(struct schedule *s, struct coll_block to, int neighbour, enum tree_line line)
{
    lines_add(s, STEP_TAKE, to, neighbour, line);
}

void lines_fold(struct schedule *s, struct coll_block into, int neighbour, enum tree_line line)
{
    lines_add(s, STEP_FOLD, into, neighbour, line);
}

void lines_end(struct schedule *s)
{
    schedule_add(s, (struct step){.kind = STEP_END});
}

static struct coll_block bytes_at(const unsigned char *at, size_t bytes)
{
    return (struct coll_block){(void *)(uintptr_t)at, (MPI_Count)bytes, datatype_predefined(MPI_BYTE)};
}

/* Nobody wakes this process for what its line waits for. */
static void stay_awake(struct schedule *s, bool must)
{
    if (must != s->stays_awake)
        progress_stay_awake(must ? 1 : -1);
    s->stays_awake = must;
}

/* Memory for a line's data. NULL: not yet. */
static unsigned char *lines_reserve(struct schedule *s, enum tree_line line, size_t bytes)
{
    unsigned char *data = host_tree_reserve(s->tree, s->call, line, bytes);

    stay_awake(s, !data);
    return data;
}

/* Which call this rank is in. One that leaves it for a loss may be in another than its neighbours. */
static uint32_t lines_call_tag(const struct schedule *s)
{
    return lost_is_cause(s->error) ? LINE_LEFT : s->line_tag;
}

/* A rank that has failed tells that. */
static uint32_t lines_data_tag(const struct schedule *s)
{
    return s->error && !lost_is_cause(s->error) ? LINE_FAILED : lines_call_tag(s);
}

static bool lines_try_publish(struct schedule *s, const struct step *step)
{
    size_t bytes = s->error ? 0 : block_bytes(step->from);
    unsigned char *data = lines_reserve(s, step->line, bytes);

    if (!data)
        return false;
    if (bytes)
        schedule_note(s, block_copy(step->from, bytes_at(data, bytes), hint_buffer_kinds(&s->comm->hints)));
    host_tree_publish(s->tree, s->call, step->line, data, bytes, lines_data_tag(s), step->peer);
    s->published |= 1u << step->line;
    return true;
}

/* Publishes, without data, the lines that this rank's call does not have. The call has failed, maybe since a neighbour has called something
 * else: that may wait for one of them, and this rank's next call overwrites what it has told of this one. */
static bool lines_try_publish_rest(struct schedule *s)
{
    unsigned char *data;

    for (enum tree_line line = LINE_UP; line <= LINE_DOWN; line++) {
        if (s->published >> line & 1)
            continue;
        data = lines_reserve(s, line, 0);
        if (!data)
            return false;
        host_tree_publish(s->tree, s->call, line, data, 0, lines_call_tag(s), -1);
        s->published |= 1u << line;
    }
    return true;
}

static bool lines_try_end(struct schedule *s)
{
    if (s->error && !lines_try_publish_rest(s))
        return false;
    s->published = 0;
    host_tree_end(s->tree, s->call);
    return true;
}

enum {
    LOOKS_BEFORE_TOLD = 2 /* fewer than those before a rank sleeps */
};

/* Whether the line will never come. */
static bool lines_differ(struct schedule *s, const struct step *step)
{
    int error;

    s->looks++;
    if (s->looks == LOOKS_BEFORE_TOLD)
        host_tree_tell(s->tree, s->call, lines_call_tag(s));
    if (s->looks < LOOKS_BEFORE_TOLD ||
        !host_tree_differs(s->tree, s->call, step->line, step->peer, s->line_tag, &error))
        return false;
    schedule_note(s, error);
    return true;
}

static bool lines_try_take(struct schedule *s, const struct step *step)
{
    int64_t kinds = hint_buffer_kinds(&s->comm->hints);
    struct coll_block to = step->from;
    size_t bytes = block_bytes(to);
    const unsigned char *data;
    int error = MPI_SUCCESS;

    if (!host_tree_has(s->tree, s->call, step->line, step->peer)) {
        if (!lines_differ(s, step))
            return false;
        s->looks = 0;
        return true;
    }
    s->looks = 0;
    data = host_tree_data(s->tree, s->call, step->line, step->peer, s->line_tag, bytes, &error);
    if (data && bytes && step->kind == STEP_TAKE)
        error = block_copy(bytes_at(data, bytes), to, kinds);
    else if (data && bytes)
        error = schedule_combine(s->op, (struct coll_block){(void *)(uintptr_t)data, to.count, to.type}, to,
                                 kinds);
    schedule_note(s, error);
    return true;
}

bool lines_advance(struct schedule *s, const struct step *step)
{
    if (step->kind == STEP_PUBLISH)
        return lines_try_publish(s, step);
    if (step->kind == STEP_END)
        return lines_try_end(s);
    return lines_try_take(s, step);
}

static bool step_publishes(const struct step *step)
{
    return step->kind == STEP_PUBLISH || step->kind == STEP_END;
}

/* The process whose line is waited for; -1: a publisher waits for several. */
static int awaited_process(const struct schedule *s, const struct step *step)
{
    return step_publishes(step) ? -1 : s->tree->boxes->peer[step->peer].peer->process;
}

/* Nobody is woken for what a publisher waits for. */
void lines_do(struct schedule *s, const struct step *step)
{
    enum word_wait how = step_publishes(step) ? WORD_NAPS : WORD_SLEEPS;
    struct wait w = WAIT_START;

    while (!lines_advance(s, step))
        progress_wait_word_for(&w, how, WAIT_LINE, s->comm, (uint64_t)awaited_process(s, step));
    progress_wait_again(&w);
}
