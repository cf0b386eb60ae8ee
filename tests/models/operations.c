/* Atomic operations: each is a step, which other threads may come before, and then does what the memory model says. Outside of a
 * run, in `begin` and `end` of a scenario, memory is used directly. */
#include "engine.h"

#include <string.h>

static struct thread *me(void)
{
    return &engine->thread[engine->current];
}

uint64_t raw_load(const volatile void *at, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, (const void *)(uintptr_t)at, size);
    return value;
}

void raw_store(volatile void *at, size_t size, uint64_t value)
{
    memcpy((void *)(uintptr_t)at, &value, size);
}

/* Whether memory is used directly: outside of a run, and where no other thread uses it. */
static bool is_direct(const volatile void *at)
{
    return !engine->is_running || threads_is_private(at);
}

static void begin(const struct site *site, enum step_kind kind, const volatile void *at, size_t size,
                  memory_order order)
{
    explore_step((struct step){
        .kind = kind, .at = at, .size = size, .is_strict = order == memory_order_seq_cst, .site = site});
}

static int find_note(const struct thread *t, int place)
{
    int i = 0;

    while (i < t->reads && t->read[i].place != place)
        i++;
    return i;
}

static bool is_own(const struct place *p, int32_t time)
{
    int event = engine->is_tso ? p->event : p->store[time].event;

    return event >= 0 && engine->event[event].entity % THREADS == engine->current;
}

/* What a pause waits for a change of: what was read first, unless the thread itself has stored it. */
static void note_read(const struct place *p)
{
    struct thread *t = me();
    int place = (int)(p - engine->place), i = find_note(t, place);
    int32_t time = engine->is_tso ? (int32_t)p->version : t->now.time[place];

    if (i < t->reads || is_own(p, time))
        return;
    if (i == READS)
        model_fail("the model reads more words in a loop than READS");
    t->read[t->reads++] = (struct read_note){place, time};
}

static void note_stored(const struct place *p)
{
    struct thread *t = me();
    int i = find_note(t, (int)(p - engine->place));

    if (i < t->reads)
        t->read[i] = t->read[--t->reads];
}

uint64_t model_load(const struct site *site, const volatile void *at, size_t size)
{
    memory_order order = site_order(site, false);
    struct place *p;
    uint64_t value;

    if (is_direct(at))
        return raw_load(at, size);
    begin(site, STEP_LOAD, at, size, order);
    races_note(at, size, false, true);
    p = place_of(at, size);
    if (engine->is_tso) {
        value = tso_load(me(), p);
    } else {
        const struct store *s = weak_pick(me(), p, order == memory_order_seq_cst, PICK_ANY, 0);

        value = s->value;
        weak_read(me(), p, s, order);
        explore_read_from(s->event);
    }
    note_read(p);
    explore_note(value);
    return value;
}

void model_store(const struct site *site, volatile void *at, size_t size, uint64_t value)
{
    memory_order order = site_order(site, false);
    struct place *p;

    if (is_direct(at)) {
        raw_store(at, size, value);
        return;
    }
    begin(site, STEP_STORE, at, size, order);
    explore_note(value);
    races_note(at, size, true, true);
    p = place_of(at, size);
    if (!engine->is_tso)
        weak_store(me(), p, value, order);
    else if (order == memory_order_seq_cst)
        tso_write(p, value);
    else
        tso_buffer(me(), p, value);
    note_stored(p);
}

static uint64_t changed(uint64_t value, enum change how, uint64_t operand, size_t size)
{
    uint64_t all = size == 8 ? UINT64_MAX : ((uint64_t)1 << size * 8) - 1;

    switch (how) {
    case CHANGE_EXCHANGE:
        return operand;
    case CHANGE_ADD:
        return (value + operand) & all;
    case CHANGE_SUB:
        return (value - operand) & all;
    case CHANGE_OR:
        return value | operand;
    case CHANGE_AND:
        return value & operand;
    }
    return 0;
}

uint64_t model_change(const struct site *site, volatile void *at, size_t size, enum change how,
                      uint64_t operand)
{
    memory_order order = site_order(site, false);
    uint64_t before = raw_load(at, size);
    struct place *p;

    if (is_direct(at)) {
        raw_store(at, size, changed(before, how, operand, size));
        return before;
    }
    begin(site, STEP_CHANGE, at, size, order);
    races_note(at, size, true, true);
    p = place_of(at, size);
    if (engine->is_tso) {
        before = raw_load(at, size);
        note_read(p);
        tso_write(p, changed(before, how, operand, size));
    } else {
        struct store *s = weak_pick(me(), p, order == memory_order_seq_cst, PICK_LAST, 0);

        before = s->value;
        weak_read(me(), p, s, order);
        note_read(p);
        weak_replace(me(), p, s, changed(before, how, operand, size), order);
    }
    note_stored(p);
    explore_note(before);
    return before;
}

static uint64_t weak_compare(const struct site *site, struct place *p, uint64_t expected, uint64_t desired)
{
    memory_order order = site_order(site, false), failure = site_order(site, true);
    struct store *s = weak_pick(me(), p, order == memory_order_seq_cst, PICK_COMPARE, expected);
    uint64_t found = s->value;

    weak_read(me(), p, s, found == expected ? order : failure);
    note_read(p);
    if (found == expected)
        weak_replace(me(), p, s, desired, order);
    return found;
}

bool model_compare_exchange(const struct site *site, volatile void *at, size_t size, uint64_t *expected,
                            uint64_t desired)
{
    uint64_t wanted = *expected;
    struct place *p;

    if (is_direct(at)) {
        *expected = raw_load(at, size);
        if (*expected == wanted)
            raw_store(at, size, desired);
        return *expected == wanted;
    }
    begin(site, STEP_CHANGE, at, size, site_order(site, false));
    races_note(at, size, true, true);
    p = place_of(at, size);
    if (engine->is_tso) {
        *expected = raw_load(at, size);
        note_read(p);
        if (*expected == wanted)
            tso_write(p, desired);
    } else {
        *expected = weak_compare(site, p, wanted, desired);
    }
    if (*expected == wanted)
        note_stored(p);
    explore_note(*expected);
    return *expected == wanted;
}

void model_fence(const struct site *site)
{
    memory_order order = site_order(site, false);

    if (!engine->is_running)
        return;
    begin(site, order == memory_order_seq_cst ? STEP_FENCE : STEP_LOCAL_FENCE, NULL, 0, order);
    if (!engine->is_tso)
        weak_fence(me(), order);
}

void model_signal_fence(const struct site *site)
{
    if (!engine->is_running || site_is_dropped(site))
        return;
    begin(site, STEP_COMPILER, NULL, 0, memory_order_relaxed);
    if (!engine->is_tso)
        weak_compiler_fence(me());
}

/* Whether something that the thread has read since its last pause has changed. */
bool pause_is_over(const struct thread *t)
{
    for (int i = 0; i < t->reads; i++) {
        const struct place *p = &engine->place[t->read[i].place];
        int32_t now = engine->is_tso ? (int32_t)p->version : p->count - 1;

        if (now != t->read[i].time)
            return true;
    }
    return false;
}

static bool has_read_the_same(const struct thread *t)
{
    return t->reads == t->reads_before && !memcmp(t->read, t->before, (size_t)t->reads * sizeof t->read[0]);
}

/* A round that reads what the last one has read shows nothing: another run lets it wait. */
void model_pause(void)
{
    struct thread *t = me();

    if (!engine->is_running)
        return;
    if (has_read_the_same(t))
        explore_cut();
    memcpy(t->before, t->read, sizeof t->before);
    t->reads_before = t->reads;
    explore_step((struct step){.kind = STEP_PAUSE});
    t->reads = 0;
}

void model_look(void)
{
    me()->reads = 0;
}

/* The thread goes no further in this run. In another one it does not look before what it waits for is there. */
void model_retry(void)
{
    if (pause_is_over(me()))
        explore_cut();
    explore_step((struct step){.kind = STEP_RETRY});
}

int model_self(void)
{
    return engine->current;
}
