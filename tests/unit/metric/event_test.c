#include "metric/event.h"

#include "unit.h"

static struct {
    int calls, inside;
    int64_t value[2 * EVENT_ROOM];
    uint64_t lost[2 * EVENT_ROOM], ns;
} heard;

static void hear(const struct event *e, uint64_t lost)
{
    assert_int_equal(heard.inside++, 0);
    assert_true(e->ns >= heard.ns);
    heard.ns = e->ns;
    heard.value[heard.calls] = e->value[0];
    heard.lost[heard.calls++] = lost;
    event_deliver(); /* not while it is being delivered */
    heard.inside--;
}

static void tell(enum event_id id, int from, int to)
{
    for (int i = from; i < to; i++)
        event_raise((struct event){.id = id, .value = {i}});
}

static int listen_again(void **state)
{
    (void)state;
    heard = (typeof(heard)){0};
    atomic_store_explicit(&event_listener, hear, memory_order_release);
    return 0;
}

static void events_wait_until_they_are_delivered(void **state)
{
    (void)state;
    event_deliver();
    assert_false(event_is_queued);
    tell(EVENT_SLEEP, 0, 3);
    assert_int_equal(heard.calls, 0);
    assert_true(event_is_queued);
    event_deliver();
    assert_int_equal(heard.calls, 3);
    assert_false(event_is_queued);
    event_deliver();
    assert_int_equal(heard.calls, 3);
}

/* More than there is room for, in turns that do not divide it. */
static void order_stays_when_the_queue_goes_round(void **state)
{
    int told = 0;

    (void)state;
    while (told < EVENT_ROOM + 100) {
        tell(EVENT_SLEEP, told, told + 300);
        told += 300;
        event_deliver();
    }
    assert_int_equal(heard.calls, told);
    for (int i = 0; i < told; i++) {
        assert_int_equal(heard.value[i], i);
        assert_int_equal(heard.lost[i], 0);
    }
}

static void what_is_lost_is_told_once_for_each_type(void **state)
{
    (void)state;
    tell(EVENT_SLEEP, 0, EVENT_ROOM - 1);
    tell(EVENT_HINT, EVENT_ROOM - 1, EVENT_ROOM);
    tell(EVENT_HINT, 0, 2);
    tell(EVENT_SLEEP, 0, 5);
    event_deliver();
    assert_int_equal(heard.calls, EVENT_ROOM);
    assert_int_equal(heard.value[EVENT_ROOM - 1], EVENT_ROOM - 1);
    assert_int_equal(heard.lost[0], 5);
    for (int i = 1; i < EVENT_ROOM - 1; i++)
        assert_int_equal(heard.lost[i], 0);
    assert_int_equal(heard.lost[EVENT_ROOM - 1], 2);
    tell(EVENT_SLEEP, 7, 8);
    event_deliver();
    assert_int_equal(heard.value[EVENT_ROOM], 7);
    assert_int_equal(heard.lost[EVENT_ROOM], 0);
}

static void only_wanted_types_are_wanted(void **state)
{
    (void)state;
    event_wanted = 1u << EVENT_SLEEP;
    assert_true(event_is_wanted(EVENT_SLEEP));
    assert_false(event_is_wanted(EVENT_COLLECTIVE));
    event_wanted = 0;
    assert_false(event_is_wanted(EVENT_SLEEP));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(events_wait_until_they_are_delivered, listen_again),
        cmocka_unit_test_setup(order_stays_when_the_queue_goes_round, listen_again),
        cmocka_unit_test_setup(what_is_lost_is_told_once_for_each_type, listen_again),
        cmocka_unit_test(only_wanted_types_are_wanted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
