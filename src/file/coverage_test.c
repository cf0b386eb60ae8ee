/* Which bytes of a window are covered, against an array of flags. COVERAGE_SEED repeats a failure. */
#include "file/coverage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum {
    WINDOW_MOST = 300,
    ROUNDS = 2000
};

static _Atomic uint64_t map[WINDOW_MOST / 64 + 1];

static void check(const bool *flag, int window)
{
    struct file_run run;
    MPI_Offset at = 0;

    while (coverage_next(map, window, at, &run)) {
        for (; at < run.at; at++)
            assert_false(flag[at]);
        assert_true(run.bytes > 0);
        for (; at < run.at + run.bytes; at++)
            assert_true(flag[at]);
        assert_true(at == window || !flag[at]);
    }
    for (; at < window; at++)
        assert_false(flag[at]);
}

static void stretches_are_found(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        int window = 1 + rand() % WINDOW_MOST;
        bool flag[WINDOW_MOST] = {false};

        coverage_clear(map, window);
        check(flag, window);
        for (int runs = rand() % 6; runs > 0; runs--) {
            int at = rand() % window, bytes = 1 + rand() % (window - at);

            if (rand() % 2 && bytes > 3)
                bytes = 3;
            coverage_add(map, at, bytes);
            memset(flag + at, true, (size_t)bytes);
            check(flag, window);
        }
    }
}

static void a_full_window_is_one_stretch(void **state)
{
    struct file_run run;

    (void)state;
    for (int window = 1; window <= WINDOW_MOST; window++) {
        coverage_clear(map, window);
        coverage_add(map, 0, window);
        assert_true(coverage_next(map, window, 0, &run));
        assert_int_equal(run.at, 0);
        assert_int_equal(run.bytes, window);
        assert_false(coverage_next(map, window, window, &run));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stretches_are_found),
                                       cmocka_unit_test(a_full_window_is_one_stretch)};
    const char *given = getenv("COVERAGE_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);

    printf("COVERAGE_SEED=%u\n", seed);
    srand(seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
