/* A deadlock is told only where all its ranks said lately that they wait. What a watchdog that comes late writes while another judges does
 * not vouch for what it had written before. */
#define clock_ns clock_of_test /* the moment at which the other watchdog writes */
#include "insight/board/loss.c"
#include "insight/wrap/circle.c"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

struct process process = {.rank = 0, .size = 2};
struct board *board;

static uint64_t ms;        /* the time of the test */
static bool is_other_late; /* rank 1 has gone on, and its watchdog says so when rank 0 looks at the clock */

static void publish(int rank, enum rank_state state, uint64_t progress)
{
    struct board_rank *r = &board->rank[rank];

    r->targets[0] = UINT64_C(1) << (1 - rank);
    atomic_store_explicit(&r->progress, progress, memory_order_relaxed);
    atomic_store_explicit(&r->state, state, memory_order_release);
    atomic_store_explicit(&r->looked, ms, memory_order_release);
}

uint64_t clock_of_test(void)
{
    if (is_other_late)
        publish(1, RANK_RUNNING, 8);
    is_other_late = false;
    return ms * 1000000;
}

/* Both wait for each other, and rank 0 has seen it for long enough. */
static void begin(struct circle *c, bool *goes)
{
    memset(board, 0, sizeof *board);
    is_other_late = false;
    ms = 1000;
    publish(0, RANK_WAITING, 5);
    publish(1, RANK_WAITING, 7);
    *c = (struct circle){0};
    assert_int_equal(circle_find(c, goes), -1);
    ms += PATIENCE_MS;
    publish(0, RANK_WAITING, 5);
}

static void test_circle(void **state)
{
    bool goes[BOARD_RANKS];
    struct circle c;

    (void)state;
    begin(&c, goes);
    publish(1, RANK_WAITING, 7);
    assert_int_equal(circle_find(&c, goes), 0);
    assert_false(goes[0] || goes[1]);
}

static void test_old_entry(void **state)
{
    bool goes[BOARD_RANKS];
    struct circle c;

    (void)state;
    begin(&c, goes);
    assert_int_equal(circle_find(&c, goes), -1);
}

static void test_late_entry(void **state)
{
    bool goes[BOARD_RANKS];
    struct circle c;

    (void)state;
    begin(&c, goes);
    is_other_late = true;
    assert_int_equal(circle_find(&c, goes), -1);
    assert_false(is_other_late);
    assert_int_equal(circle_find(&c, goes), -1);
    assert_true(goes[0] && goes[1]);
}

static void test_another_judges(void **state)
{
    bool goes[BOARD_RANKS];
    struct circle c;

    (void)state;
    begin(&c, goes);
    publish(1, RANK_WAITING, 7);
    process.rank = 1;
    assert_int_equal(circle_find(&c, goes), -1);
    process.rank = 0;
}

/* Who waits for one that has died is told so, whatever that one did last. */
static void test_lost(void **state)
{
    bool goes[BOARD_RANKS];
    struct circle c;

    (void)state;
    begin(&c, goes);
    publish(1, RANK_WAITING, 7);
    loss_add_dead(board, 1);
    assert_int_equal(circle_find(&c, goes), -1);
    assert_true(goes[0] && goes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_circle), cmocka_unit_test(test_old_entry),
                                       cmocka_unit_test(test_late_entry),
                                       cmocka_unit_test(test_another_judges), cmocka_unit_test(test_lost)};

    board = calloc(1, sizeof *board);
    return !board || cmocka_run_group_tests(tests, NULL, NULL);
}
