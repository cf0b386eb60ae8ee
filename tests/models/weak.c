#include "engine.h"

#include <string.h>

struct place *place_of(const volatile void *at, size_t size)
{
    struct place *p = engine->place;

    while (p < engine->place + engine->places && p->at != at)
        p++;
    if (p < engine->place + engine->places)
        return p;
    if (engine->places == PLACES)
        model_fail("the model has more atomic words than PLACES");
    engine->places++;
    p->at = at;
    p->size = size;
    p->count = 1;
    p->version = 0;
    p->event = -1;
    memset(&p->store[0], 0, sizeof p->store[0]);
    p->store[0].event = -1;
    p->store[0].value = raw_load(at, size);
    return p;
}

static int index_of(const struct place *p)
{
    return (int)(p - engine->place);
}

static void join_times(struct view *to, const int32_t *time)
{
    for (int i = 0; i < engine->places; i++)
        if (to->time[i] < time[i])
            to->time[i] = time[i];
}

void view_join(struct view *to, const struct view *from)
{
    join_times(to, from->time);
    for (int i = 0; i < THREADS; i++)
        if (to->clock[i] < from->clock[i])
            to->clock[i] = from->clock[i];
}

/* What a thread stores from now on does not happen before what it has released. */
static void tick(struct thread *t)
{
    t->now.clock[t - engine->thread]++;
}

/* The time of the store that the thread must not look behind. */
static int32_t earliest(const struct thread *t, const struct place *p, bool is_strict)
{
    int32_t seen = t->now.time[index_of(p)], strict = engine->strict[index_of(p)];

    return is_strict && strict > seen ? strict : seen;
}

struct store *weak_pick(struct thread *t, struct place *p, bool is_strict, enum pick how, uint64_t expected)
{
    int32_t from = earliest(t, p, is_strict);
    int found[STORES], count = 0;

    for (int i = p->count - 1; i >= from; i--)
        if (how == PICK_ANY || i == p->count - 1 || (how == PICK_COMPARE && p->store[i].value != expected))
            found[count++] = i;
    return &p->store[found[explore_choose(count)]];
}

static bool acquires(memory_order order)
{
    return order == memory_order_acquire || order == memory_order_acq_rel || order == memory_order_seq_cst;
}

static bool releases(memory_order order)
{
    return order == memory_order_release || order == memory_order_acq_rel || order == memory_order_seq_cst;
}

void weak_read(struct thread *t, struct place *p, const struct store *from, memory_order order)
{
    int32_t time = (int32_t)(from - p->store);

    t->now.time[index_of(p)] = time;
    view_join(acquires(order) ? &t->now : &t->acquired, &from->view);
    if (order == memory_order_seq_cst && engine->strict[index_of(p)] < time)
        engine->strict[index_of(p)] = time;
}

struct store *weak_store(struct thread *t, struct place *p, uint64_t value, memory_order order)
{
    struct store *s = &p->store[p->count];
    int place = index_of(p);

    if (p->count == STORES)
        model_fail("the model stores to one word more often than STORES");
    t->now.time[place] = p->count++;
    s->value = value;
    s->event = engine->events - 1;
    s->view = releases(order) ? t->now : t->released;
    s->view.time[place] = t->now.time[place];
    if (order == memory_order_seq_cst)
        engine->strict[place] = t->now.time[place];
    raw_store((volatile void *)(uintptr_t)p->at, p->size, value);
    tick(t);
    return s;
}

/* A release sequence goes on. */
void weak_replace(struct thread *t, struct place *p, const struct store *from, uint64_t value,
                  memory_order order)
{
    view_join(&weak_store(t, p, value, order)->view, &from->view);
    if (order == memory_order_acq_rel || order == memory_order_seq_cst)
        weak_compiler_fence(t);
}

void weak_compiler_fence(struct thread *t)
{
    join_times(&t->now, t->owed.time);
    t->ordered = t->now;
}

void weak_fence(struct thread *t, memory_order order)
{
    weak_compiler_fence(t);
    if (acquires(order))
        view_join(&t->now, &t->acquired);
    if (order == memory_order_seq_cst) {
        join_times(&t->now, engine->strict);
        memcpy(engine->strict, t->now.time, sizeof engine->strict);
    }
    if (releases(order))
        t->released = t->now;
    tick(t);
    weak_compiler_fence(t);
}

/* What the compiler may move across this moment is not ordered by it: the thread has published what it had done at its last
 * compiler fence, and sees from its next one on. */
void weak_remote_fence(struct thread *other)
{
    for (int i = 0; i < engine->places; i++)
        if (engine->strict[i] < other->ordered.time[i])
            engine->strict[i] = other->ordered.time[i];
    join_times(&other->owed, engine->strict);
}
