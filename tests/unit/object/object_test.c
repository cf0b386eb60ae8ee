/* Pools: whatever a program passes as a handle, looking it up is safe and finds live objects only. */
#include "object/object.h"

#include "plain/clock.h"
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct thing {
    struct object object;
    int value[5];
};

static struct pool pool = POOL_INIT(OBJECT_GROUP, struct thing);

static void new_object_is_found_by_its_handle(void **state)
{
    struct thing *t = pool_new(&pool);

    (void)state;
    assert_non_null(t);
    assert_true(object_handle(&t->object) >= OBJECT_PREDEFINED_LIMIT);
    assert_ptr_equal(pool_find(&pool, object_handle(&t->object)), t);
    assert_int_equal(t->value[0], 0);
    assert_int_equal(t->value[4], 0);
    assert_true(object_unref(&t->object));
    pool_free(&pool, t);
}

static void freed_handle_is_dead_also_when_its_slot_lives_again(void **state)
{
    struct thing *t = pool_new(&pool), *again;
    uint64_t stale = object_handle(&t->object);
    int stale_int = object_to_int(&t->object);

    (void)state;
    pool_free(&pool, t);
    assert_null(pool_find(&pool, stale));
    assert_null(pool_find_int(&pool, stale_int));
    again = pool_new(&pool);
    assert_ptr_equal(again, t); /* the slot is reused */
    assert_true(object_handle(&again->object) != stale);
    assert_null(pool_find(&pool, stale));
    assert_null(pool_find_int(&pool, stale_int));
    pool_free(&pool, again);
}

static void free_slots_have_no_handle(void **state)
{
    struct thing *t[8];

    (void)state;
    for (int i = 0; i < 8; i++)
        t[i] = pool_new(&pool);
    for (int i = 0; i < 8; i++)
        pool_free(&pool, t[i]);
    for (int i = 0; i < 8; i++)
        assert_true(object_handle(&t[i]->object) == 0);
}

static void garbage_finds_nothing(void **state)
{
    struct thing *t = pool_new(&pool);
    uint64_t handle = object_handle(&t->object), word = 88172645463325252u;

    (void)state;
    for (int bit = 0; bit < 64; bit++)
        assert_null(pool_find(&pool, handle ^ (uint64_t)1 << bit));
    for (int i = 0; i < 100000; i++) {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        assert_true(word == handle || !pool_find(&pool, word));
        assert_true((int)word == object_to_int(&t->object) || !pool_find_int(&pool, (int)word));
    }
    assert_null(pool_find(&pool, 0));
    assert_null(pool_find(&pool, UINT64_MAX));
    assert_null(pool_find_int(&pool, -1));
    pool_free(&pool, t);
}

static void many_objects_have_handles_of_their_own(void **state)
{
    enum {
        MANY = 5000
    };
    struct thing **t = calloc(MANY, sizeof(*t));
    uint32_t before = pool_live(&pool);

    (void)state;
    for (int i = 0; i < MANY; i++) {
        t[i] = pool_new(&pool);
        t[i]->value[0] = i;
    }
    assert_int_equal(pool_live(&pool), before + MANY);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(((struct thing *)pool_find(&pool, object_handle(&t[i]->object)))->value[0], i);
        assert_ptr_equal(pool_find_int(&pool, object_to_int(&t[i]->object)), t[i]);
        assert_true(object_to_int(&t[i]->object) > 0);
    }
    for (int i = 0; i < MANY; i++)
        pool_free(&pool, t[i]);
    assert_int_equal(pool_live(&pool), before);
    free(t);
}

static void retired_handle_is_dead_while_references_live(void **state)
{
    struct thing *t = pool_new(&pool);
    uint64_t handle = object_handle(&t->object);

    (void)state;
    object_ref(&t->object);
    object_retire(&pool, &t->object);
    assert_null(pool_find(&pool, handle));
    t->value[0] = 7;
    assert_false(object_unref(&t->object));
    assert_int_equal(t->value[0], 7);
    assert_true(object_unref(&t->object));
    pool_free(&pool, t);
}

enum {
    DROPPERS = 2,   /* spin beside each other, so no more than there are cores */
    SPINS = 100000, /* before a thread yields: both shall run at the same moment also beside other work */
    COPIES = 100,
    ROUNDS = 20000,
    MOST_MS = 15000 /* where both threads share a core with others, a round takes milliseconds */
};

static struct thing *shared;
static _Atomic int arrivals; /* of threads at meet */
static _Atomic int lasts;    /* references that were the last */
static _Atomic int seen;     /* values that who dropped the last reference found written */
static _Atomic bool is_over; /* set before the threads meet for the last time */

/* The threads go on at the same moment, for the so-many-th time; where they share a core, one after the other. */
static void meet(int time)
{
    atomic_fetch_add(&arrivals, 1);
    for (int i = 1; atomic_load(&arrivals) < DROPPERS * time; i++)
        if (i % SPINS == 0)
            sched_yield();
}

/* Each thread copies its reference and drops the copy many times. It writes a value of its own just before it drops
 * the reference, so that nothing but this orders the value. */
static void drop_reference(int mine, int round)
{
    for (int i = 0; i < COPIES; i++) {
        object_ref(&shared->object);
        if (object_unref(&shared->object))
            lasts += ROUNDS;
    }
    shared->value[mine] = round;
    if (!object_unref(&shared->object))
        return;
    lasts++;
    for (int i = 0; i < DROPPERS; i++)
        seen += shared->value[i] == round;
}

static void *drop_beside(void *unused)
{
    for (int round = 1; !is_over; round++) {
        meet(2 * round - 1);
        drop_reference(1, round);
        meet(2 * round);
    }
    return unused;
}

/* In the first rounds the threads have the bias in turn, in the others they count atomically. */
static void last_reference_is_dropped_once_by_who_sees_all(void **state)
{
    uint64_t end = clock_ns() + MOST_MS * UINT64_C(1000000);
    pthread_t thread;

    (void)state;
    lock_enable();
    assert_int_equal(pthread_create(&thread, NULL, drop_beside, NULL), 0);
    for (int round = 1; !is_over; round++) {
        shared = pool_new(&pool);
        object_ref(&shared->object);
        meet(2 * round - 1);
        drop_reference(0, round);
        is_over = round == ROUNDS || clock_ns() > end;
        meet(2 * round);
        assert_int_equal(lasts, round);
        assert_int_equal(seen, DROPPERS * round);
        pool_free(&pool, shared);
    }
    pthread_join(thread, NULL);
}

static void shown_object_has_a_name_whatever_the_program_freed(void **state)
{
    struct thing *t = pool_new(&pool);
    uint64_t own = object_handle(&t->object), shown;

    (void)state;
    assert_true(object_show(&pool, &t->object) == own); /* not freed: its own handle, also afterwards */
    object_hide(&pool, &t->object);
    assert_ptr_equal(pool_find(&pool, own), t);
    object_show(&pool, &t->object);
    object_retire(&pool, &t->object); /* freed meanwhile */
    assert_ptr_equal(pool_find(&pool, own), t);
    assert_true(object_is_retired(&t->object));
    object_hide(&pool, &t->object);
    assert_null(pool_find(&pool, own));
    shown = object_show(&pool, &t->object); /* freed before: a new handle, twice at once */
    assert_true(shown != own);
    assert_true(object_show(&pool, &t->object) == shown);
    assert_null(pool_find(&pool, own));
    object_hide(&pool, &t->object);
    assert_ptr_equal(pool_find(&pool, shown), t);
    object_hide(&pool, &t->object);
    assert_null(pool_find(&pool, shown));
    assert_true(object_unref(&t->object));
    pool_free(&pool, t);
    t = pool_new(&pool); /* the slot lives again */
    assert_false(object_is_retired(&t->object));
    pool_free(&pool, t);
}

static void lent_handle_dies_with_its_last_return_and_revives_anew(void **state)
{
    struct thing *t = pool_new(&pool);
    uint64_t first, second;

    (void)state;
    object_hand_out(&pool, &t->object);
    object_hand_out(&pool, &t->object);
    first = object_handle(&t->object);
    assert_true(object_take_back(&pool, &t->object));
    assert_false(object_unref(&t->object));
    assert_ptr_equal(pool_find(&pool, first), t);
    assert_true(object_take_back(&pool, &t->object));
    assert_false(object_unref(&t->object));
    assert_null(pool_find(&pool, first));
    assert_false(object_take_back(&pool, &t->object)); /* one too many */
    object_hand_out(&pool, &t->object);
    second = object_handle(&t->object);
    assert_true(second != first);
    assert_ptr_equal(pool_find(&pool, second), t);
    assert_null(pool_find(&pool, first));
    assert_true(object_take_back(&pool, &t->object));
    assert_false(object_unref(&t->object));
    assert_true(object_unref(&t->object));
    pool_free(&pool, t);
}

static void predefined_object_has_its_value_in_both_forms(void **state)
{
    static struct thing t;

    (void)state;
    object_predefine(&t.object, OBJECT_GROUP, 265);
    assert_ptr_equal(object_predefined[265], &t);
    assert_int_equal(object_to_int(&t.object), 265);
    assert_ptr_equal(pool_find_int(&pool, 265), &t);
    assert_null(pool_find(&pool, 265));
    object_hand_out(&pool, &t.object); /* not counted */
    assert_true(object_take_back(&pool, &t.object));
    assert_true(object_take_back(&pool, &t.object));
    object_predefined[265] = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_object_is_found_by_its_handle),
        cmocka_unit_test(freed_handle_is_dead_also_when_its_slot_lives_again),
        cmocka_unit_test(free_slots_have_no_handle),
        cmocka_unit_test(garbage_finds_nothing),
        cmocka_unit_test(many_objects_have_handles_of_their_own),
        cmocka_unit_test(retired_handle_is_dead_while_references_live),
        cmocka_unit_test(shown_object_has_a_name_whatever_the_program_freed),
        cmocka_unit_test(lent_handle_dies_with_its_last_return_and_revives_anew),
        cmocka_unit_test(predefined_object_has_its_value_in_both_forms),
        cmocka_unit_test(last_reference_is_dropped_once_by_who_sees_all), /* enables locks */
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
