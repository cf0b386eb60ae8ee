/* Which bytes of a window are covered, against an array of flags. COVERAGE_SEED repeats a failure. */
#include "file/coverage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    WINDOW_MOST = 9000, /* the words of its map have a map of three words */
    ROUNDS = 2000
};

static uint64_t memory[WINDOW_MOST / 64 + 8];
static struct coverage covered;

/* An empty window, in memory that held something else. */
static void begin(int window)
{
    memset(memory, 0x5a, sizeof memory);
    covered = coverage_at(memory, window);
    coverage_init(&covered);
}

static void check(const bool *flag, int window)
{
    struct file_run run;
    MPI_Offset at = 0;

    while (coverage_next(&covered, at, &run)) {
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

static void cover_some(int window)
{
    bool flag[WINDOW_MOST] = {false};

    check(flag, window);
    for (int runs = rand() % 6; runs > 0; runs--) {
        int at = rand() % window, bytes = 1 + rand() % (window - at);

        if (rand() % 2 && bytes > 3)
            bytes = 3;
        coverage_add(&covered, at, bytes);
        memset(flag + at, true, (size_t)bytes);
        check(flag, window);
    }
}

static void stretches_are_found(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        int window = 1 + rand() % (i % 20 ? WINDOW_MOST / 30 : WINDOW_MOST);

        begin(window);
        for (int times = 0; times < 3; times++) {
            cover_some(window);
            coverage_clear(&covered, 0);
        }
    }
}

static void a_full_window_is_one_stretch(void **state)
{
    struct file_run run;

    (void)state;
    for (int window = 1; window <= WINDOW_MOST; window += 1 + window / 50) {
        begin(window);
        coverage_add(&covered, 0, window);
        assert_true(coverage_next(&covered, 0, &run));
        assert_int_equal(run.at, 0);
        assert_int_equal(run.bytes, window);
        assert_false(coverage_next(&covered, window, &run));
    }
}

/* Three bytes of a window of 16 MiB: pages of the map that have no bit of theirs cannot be read. */
static void only_what_is_covered_is_looked_at(void **state)
{
    const MPI_Offset window = 16 << 20, place[] = {5, 8 << 20, (16 << 20) - 1};
    size_t bytes = coverage_bytes(window), page = (size_t)sysconf(_SC_PAGESIZE), first;
    unsigned char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct file_run run = {0};

    (void)state;
    assert_true(map != MAP_FAILED);
    covered = coverage_at(map, window);
    for (int i = 0; i < 3; i++)
        coverage_add(&covered, place[i], 1);
    first = (size_t)((unsigned char *)covered.byte - map);
    for (size_t at = (first / page + 1) * page; at < bytes; at += page)
        if (at / page != (first + place[1] / 8) / page && at / page != (first + place[2] / 8) / page)
            assert_int_equal(mprotect(map + at, page, PROT_NONE), 0);
    for (int i = 0; i < 3; i++) {
        assert_true(coverage_next(&covered, run.at + run.bytes, &run));
        assert_int_equal(run.at, place[i]);
        assert_int_equal(run.bytes, 1);
    }
    assert_false(coverage_next(&covered, run.at + run.bytes, &run));
    coverage_clear(&covered, 0);
    assert_false(coverage_next(&covered, 0, &run));
    munmap(map, bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stretches_are_found),
                                       cmocka_unit_test(a_full_window_is_one_stretch),
                                       cmocka_unit_test(only_what_is_covered_is_looked_at)};
    const char *given = getenv("COVERAGE_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);

    printf("COVERAGE_SEED=%u\n", seed);
    srand(seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
