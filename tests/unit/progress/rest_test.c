/* A thread that rests where it may not sleep, or nothing could wake it, leaves the core to others for a while. */
#include "plain/clock.h"
#include "progress/progress.h"
#include "unit.h"

#include <stdlib.h>

enum {
    RESTS = 100,
    LEAST_NS = 20 * 1000 /* of one */
};

static void look(void)
{
}

static uint32_t prepare(void)
{
    return 0;
}

static void sleep_not(uint32_t seen, uint64_t most_ns)
{
    (void)seen, (void)most_ns;
    abort();
}

static void rest(const struct sleeper *sleeper)
{
    _Atomic bool is_over = false;
    uint64_t begin = clock_ns();

    progress_set_sleeper(sleeper);
    for (int i = 0; i < RESTS; i++)
        progress_rest(&is_over);
    assert_true(clock_ns() - begin >= (uint64_t)RESTS * LEAST_NS);
}

static void without_a_sleeper(void **state)
{
    (void)state;
    rest(NULL);
}

static void where_it_must_stay_awake(void **state)
{
    static const struct sleeper sleeper = {look, prepare, sleep_not, look, look};

    (void)state;
    progress_stay_awake(1);
    rest(&sleeper);
    progress_stay_awake(-1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_sleeper),
        cmocka_unit_test(where_it_must_stay_awake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
