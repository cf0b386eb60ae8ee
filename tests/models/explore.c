/* Depth first over the choices of a run: which entity (a thread, or the store buffer of one) does its next step, and which value a
 * load returns. Of two steps that do not depend on each other one order is enough.
 *
 * Where a step depends on an earlier one of another entity, and nothing orders the two, the entity is *wanted* at the earlier one's node:
 * a later run lets it go first there (Flanagan and Godefroid, "Dynamic partial-order reduction", POPL 2005). An entity whose step
 * has been tried first at a node *sleeps* behind it, until a step that depends on its own (Godefroid's sleep sets). */
#include "engine.h"

#include <stdio.h>
#include <string.h>

static bool is_buffer(int entity)
{
    return entity >= THREADS;
}

static struct step next_step(int entity)
{
    if (!is_buffer(entity))
        return engine->thread[entity].pending;
    return (struct step){.kind = STEP_DRAIN, .at = engine->thread[entity - THREADS].buffer[0].at};
}

/* On x86-64 these wait until the thread's stores are out. */
static bool drains(const struct step *step)
{
    switch (step->kind) {
    case STEP_STORE:
        return step->is_strict;
    case STEP_CHANGE:
    case STEP_FENCE:
    case STEP_SLEEP:
    case STEP_WAKE:
    case STEP_LOCK:
    case STEP_UNLOCK:
    case STEP_REMOTE_FENCE:
        return true;
    default:
        return false;
    }
}

static bool is_enabled(int entity)
{
    const struct thread *t = &engine->thread[entity % THREADS];

    if (is_buffer(entity))
        return t->buffered > 0;
    if (t->state != THREAD_READY || (drains(&t->pending) && t->buffered))
        return false;
    if (t->pending.kind == STEP_LOCK)
        return lock_is_free(t->pending.at);
    if (t->pending.kind == STEP_REMOTE_FENCE)
        return !engine->thread[t->pending.other].buffered;
    return t->pending.kind != STEP_RETRY && (t->pending.kind != STEP_PAUSE || pause_is_over(t));
}

enum trait {
    FENCES = 1,   /* sequentially consistent */
    ACCESSES = 2, /* a word */
    WRITES = 4,   /* it */
    COMPILERS =
        8, /* the thread's compiler moves nothing across: a fence in the thread from outside works up to there */
    SLEEPS = 16,
    LOCKS = 32
};

static const uint8_t traits[] = {
    [STEP_LOAD] = ACCESSES,
    [STEP_STORE] = ACCESSES | WRITES,
    [STEP_CHANGE] = ACCESSES | WRITES | COMPILERS,
    [STEP_FENCE] = FENCES | COMPILERS,
    [STEP_LOCAL_FENCE] = COMPILERS,
    [STEP_COMPILER] = COMPILERS,
    [STEP_REMOTE_FENCE] = FENCES | COMPILERS,
    [STEP_SLEEP] = FENCES | ACCESSES | COMPILERS | SLEEPS,
    [STEP_WAKE] = FENCES | COMPILERS | SLEEPS,
    [STEP_AWAKE] = SLEEPS,
    [STEP_LOCK] = COMPILERS | LOCKS,
    [STEP_UNLOCK] = COMPILERS | LOCKS,
    [STEP_DRAIN] = ACCESSES | WRITES,
};

static bool has(const struct step *s, enum trait trait)
{
    if (s->kind == STEP_STORE && engine->is_tso && !s->is_strict)
        return false; /* until it drains */
    return traits[s->kind] & trait;
}

static bool depends_on_remote(const struct step *remote, const struct step *s, int entity)
{
    if (remote->kind != STEP_REMOTE_FENCE || remote->other != entity % THREADS)
        return false;
    return engine->is_tso ? s->kind == STEP_STORE || s->kind == STEP_DRAIN : has(s, COMPILERS);
}

/* A load that is sequentially consistent may see more behind a fence, if something has been stored there. */
static bool is_ordered_by_fence(const struct step *s)
{
    return has(s, FENCES) || (s->is_strict && (s->kind != STEP_LOAD || place_of(s->at, s->size)->count > 1));
}

static bool meet_in_order(const struct step *a, const struct step *b)
{
    return (has(a, FENCES) && is_ordered_by_fence(b)) || (has(b, FENCES) && is_ordered_by_fence(a));
}

static bool meet_at_word(const struct step *a, const struct step *b)
{
    if (!a->at || a->at != b->at)
        return false;
    if (has(a, ACCESSES) && has(b, ACCESSES))
        return has(a, WRITES) || has(b, WRITES);
    if (has(a, SLEEPS) && has(b, SLEEPS))
        return a->kind == STEP_WAKE || b->kind == STEP_WAKE;
    return has(a, LOCKS) && has(b, LOCKS);
}

/* Of a thread and its store buffer, one of which does the step `drain`: what it stores comes out later, and some steps wait for that. */
static bool passes_buffer(const struct step *drain, const struct step *step)
{
    return drains(step) || (step->kind == STEP_STORE && step->at == drain->at);
}

static bool depends(const struct step *a, int of_a, const struct step *b, int of_b)
{
    if (of_a == of_b)
        return true;
    if (of_a % THREADS == of_b % THREADS)
        return is_buffer(of_a) ? passes_buffer(a, b) : passes_buffer(b, a);
    if (meet_at_word(a, b) || depends_on_remote(a, b, of_b) || depends_on_remote(b, a, of_a))
        return true;
    return !engine->is_tso && meet_in_order(a, b);
}

/* Whether the later step could have come first, with another result. */
static bool may_swap(const struct step *early, int of_early, const struct step *late, int of_late)
{
    return of_early % THREADS != of_late % THREADS &&
           !(early->kind == STEP_UNLOCK && late->kind == STEP_LOCK) &&
           !(early->kind == STEP_WAKE && late->kind == STEP_AWAKE);
}

/* A load behind a store may return what was there before it: that is as if it came first. It comes behind the store that it reads
 * from (explore_read_from). */
static bool is_free(const struct step *early, const struct step *late)
{
    return !engine->is_tso && late->kind == STEP_LOAD && has(early, WRITES) &&
           !(early->is_strict && late->is_strict);
}

static void join_done(uint32_t *to, const uint32_t *from)
{
    for (int i = 0; i < ENTITIES; i++)
        if (to[i] < from[i])
            to[i] = from[i];
}

static void want(struct node *n, int entity)
{
    n->wanted |= n->enabled >> entity & 1 ? (uint8_t)(1 << entity) : n->enabled;
}

/* Where the entity of an event began to run: going before it there takes no further switch (Coons, Musuvathi and McKinley, "Bounded
 * partial-order reduction", OOPSLA 2013). */
static int first_of_block(int event)
{
    while (event > 0 && engine->event[event - 1].entity == engine->event[event].entity)
        event--;
    return event;
}

/* Notes where the entity should have gone first, and what comes before its step. */
static void compare_with_earlier(const struct step *step, int entity)
{
    uint32_t before[ENTITIES];
    uint8_t seen = 0;

    memcpy(before, engine->done[entity], sizeof before);
    for (int i = engine->events - 1; i >= 0; i--) {
        const struct event *e = &engine->event[i];

        if (!depends(&e->step, e->entity, step, entity) || (e->entity != entity && is_free(&e->step, step)))
            continue;
        join_done(engine->done[entity], e->done);
        if (seen >> e->entity & 1 || e->done[e->entity] <= before[e->entity] ||
            !may_swap(&e->step, e->entity, step, entity))
            continue;
        seen |= (uint8_t)(1 << e->entity);
        want(&engine->node[e->node], entity);
        if (engine->scenario->switches)
            want(&engine->node[engine->event[first_of_block(i)].node], entity);
    }
}

static void take(int entity, int node)
{
    struct step step = next_step(entity);
    uint8_t sleeps = 0;

    if (engine->events == STEPS)
        model_fail("a run has more steps than STEPS: a loop that waits does not pause");
    compare_with_earlier(&step, entity);
    engine->done[entity][entity]++;
    engine->event[engine->events] = (struct event){.step = step, .entity = entity, .node = node};
    memcpy(engine->event[engine->events++].done, engine->done[entity], sizeof engine->done[entity]);
    for (int i = 0; i < ENTITIES; i++) {
        struct step other = next_step(i);

        if (engine->sleeps >> i & 1 && i != entity && !depends(&other, i, &step, entity))
            sleeps |= (uint8_t)(1 << i);
    }
    engine->sleeps = sleeps;
}

static uint8_t enabled_entities(void)
{
    uint8_t enabled = 0;

    for (int i = 0; i < ENTITIES; i++)
        enabled |= (uint8_t)(is_enabled(i) << i);
    return enabled;
}

static void all_wait(void)
{
    char text[256] = "no thread can go on:";

    for (int i = 0; i < engine->threads; i++)
        if (engine->thread[i].pending.kind == STEP_RETRY && pause_is_over(&engine->thread[i]))
            explore_cut();
    for (int i = 0; i < engine->threads; i++)
        if (engine->thread[i].state != THREAD_OVER)
            snprintf(text + strlen(text), sizeof text - strlen(text), " thread %d %s", i,
                     engine->thread[i].state == THREAD_ASLEEP ? "sleeps" : "waits");
    if (strchr(text, ':')[1])
        model_fail(text);
    threads_end(RUN_OK);
}

static int first_of(uint8_t entities)
{
    if (engine->current >= 0 && entities >> engine->current & 1)
        return engine->current;
    return __builtin_ctz(entities);
}

static struct node *new_node(void)
{
    if (engine->nodes == STEPS)
        model_fail("a run has more choices than STEPS: a loop that waits does not pause");
    engine->depth++;
    return &engine->node[engine->nodes++];
}

/* Whether a thread that could go on is left for this entity. */
static bool leaves(const struct node *n, int entity)
{
    return n->current >= 0 && entity != n->current && !is_buffer(entity) && n->enabled >> n->current & 1;
}

static int pick_entity(void)
{
    struct node *n;

    if (engine->depth == engine->nodes) {
        uint8_t enabled = enabled_entities();

        if (!enabled)
            all_wait();
        if (!(enabled & ~engine->sleeps))
            explore_cut();
        n = new_node();
        *n = (struct node){.enabled = enabled,
                           .sleeps = engine->sleeps,
                           .current = (int16_t)engine->current,
                           .switches = (int16_t)engine->switches};
        n->chosen = (uint16_t)first_of((uint8_t)(enabled & ~engine->sleeps));
        n->wanted = (uint8_t)(1 << n->chosen);
    } else {
        n = &engine->node[engine->depth++];
    }
    engine->sleeps = engine->scenario->switches && !engine->is_tso
                         ? 0
                         : n->sleeps | n->done; /* the bound may have cut what was tried first */
    engine->switches = n->switches + leaves(n, n->chosen);
    take(n->chosen, (int)(n - engine->node));
    return n->chosen;
}

/* Until a thread is chosen. */
static int pick_thread(void)
{
    int entity = pick_entity();

    for (; is_buffer(entity); entity = pick_entity())
        tso_drain(&engine->thread[entity - THREADS]);
    return entity;
}

void explore_step(struct step step)
{
    int self = engine->current, next;

    if (!engine->is_running)
        return;
    engine->thread[self].pending = step;
    next = pick_thread();
    if (next != self)
        threads_switch(next);
}

void explore_note(uint64_t value)
{
    int i = engine->events - 1;

    if (i >= 0)
        engine->event[i].step.value = value;
}

void explore_read_from(int event)
{
    struct event *last = &engine->event[engine->events - 1];

    if (event < 0)
        return;
    join_done(last->done, engine->event[event].done);
    join_done(engine->done[last->entity], last->done);
}

int explore_choose(int count)
{
    struct node *n;

    if (count == 1)
        return 0;
    if (engine->depth == engine->nodes) {
        n = new_node();
        *n = (struct node){.is_value = true, .count = (uint16_t)count};
    } else {
        n = &engine->node[engine->depth++];
    }
    return n->chosen;
}

void explore_next(void)
{
    if (engine->current >= 0)
        engine->thread[engine->current].state = THREAD_OVER;
    threads_switch(pick_thread());
    __builtin_unreachable();
}

void explore_cut(void)
{
    engine->cuts++;
    threads_end(RUN_CUT);
}

static uint8_t affordable(const struct node *n)
{
    uint8_t entities = 0;

    for (int i = 0; i < ENTITIES; i++)
        if (!engine->scenario->switches || n->switches + leaves(n, i) <= engine->scenario->switches)
            entities |= (uint8_t)(1 << i);
    return entities;
}

/* The next run differs in the last choice that has something left to try. False: none has. */
static bool next_choices(void)
{
    for (; engine->nodes > 0; engine->nodes--) {
        struct node *n = &engine->node[engine->nodes - 1];
        uint8_t left;

        if (n->is_value) {
            if (++n->chosen < n->count)
                return true;
            continue;
        }
        n->done |= (uint8_t)(1 << n->chosen);
        left = (uint8_t)(n->wanted & ~n->done & ~n->sleeps & affordable(n));
        if (left) {
            n->chosen = (uint16_t)__builtin_ctz(left);
            return true;
        }
    }
    return false;
}

static void forget_run(void)
{
    engine->depth = engine->events = engine->places = engine->mutexes = 0;
    engine->current = -1;
    engine->sleeps = 0;
    engine->switches = 0;
    engine->has_no_membarrier = false;
    memset(engine->thread, 0, sizeof engine->thread);
    memset(engine->strict, 0, sizeof engine->strict);
    memset(engine->done, 0, sizeof engine->done);
    for (int i = 0; i < THREADS; i++) {
        engine->thread[i].state = i < engine->threads ? THREAD_READY : THREAD_OVER;
        engine->thread[i].reads_before = -1;
        engine->thread[i].now.clock[i] = 1;
    }
    engine->runs++;
}

enum outcome explore(const struct scenario *scenario, bool is_tso)
{
    enum outcome outcome;

    engine->scenario = scenario;
    engine->is_tso = is_tso;
    engine->nodes = 0;
    engine->threads = 0;
    while (engine->threads < THREADS && scenario->thread[engine->threads])
        engine->threads++;
    do {
        forget_run();
        outcome = threads_run();
    } while (outcome != RUN_FOUND && next_choices());
    return outcome == RUN_FOUND ? RUN_FOUND : RUN_OK;
}
