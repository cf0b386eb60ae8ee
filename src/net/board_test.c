#include "net/board.h"

#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static struct board board;

static struct announcement receive_of(uint64_t context, int tag, uint64_t bytes, uint64_t seen)
{
    return (struct announcement){
        .context = context, .tag = tag, .bytes = bytes, .seen = seen, .receiver = 100 + seen};
}

static int announce(uint64_t context, int tag, uint64_t bytes, uint64_t seen)
{
    struct announcement a = receive_of(context, tag, bytes, seen);

    return board_announce(&board, &a);
}

static void the_earliest_is_claimed(void **state)
{
    struct announcement a;
    int first, second, other;

    (void)state;
    board = (struct board){0};
    assert_int_equal(board_claim(&board, 1, 5, 10, 0, &a), -1);
    other = announce(1, 6, 10, 0);
    first = announce(1, 5, 10, 1);
    second = announce(1, 5, 10, 2);
    assert_int_equal(board_claim(&board, 2, 5, 10, 0, &a), -1);
    assert_int_equal(board_claim(&board, 1, 5, 10, 0, &a), first);
    assert_int_equal(a.receiver, 101);
    assert_int_equal(board_claim(&board, 1, 5, 10, 0, &a), second);
    assert_int_equal(board_claim(&board, 1, 5, 10, 0, &a), -1);
    assert_false(board_withdraw(&board, first));
    assert_true(board_free(&board, first));
    assert_true(board_free(&board, second));
    assert_false(board_free(&board, other));
    assert_true(board_withdraw(&board, other));
    assert_int_equal(board.used, 0);
}

/* Slots are used anew in any order; what is earliest does not depend on it. */
static void order_is_that_of_announcing(void **state)
{
    struct announcement a;
    int slot[BOARD_SLOTS];

    (void)state;
    board = (struct board){0};
    for (int i = 0; i < BOARD_SLOTS; i++)
        slot[i] = announce(1, 5, 10, (uint64_t)i);
    assert_int_equal(announce(1, 5, 10, 99), -1);
    assert_true(board_withdraw(&board, slot[0]));
    assert_int_equal(announce(1, 5, 10, BOARD_SLOTS), slot[0]);
    for (int i = 1; i <= BOARD_SLOTS; i++) {
        int claimed = board_claim(&board, 1, 5, 10, 0, &a);

        assert_int_equal(a.seen, i);
        assert_true(board_free(&board, claimed));
    }
}

/* One that may not be claimed keeps later ones from being claimed, too. */
static void no_claim_passes_over_another(void **state)
{
    struct announcement a;
    int first;

    (void)state;
    board = (struct board){0};
    first = announce(1, 5, 20, 7);
    announce(1, 5, 10, 8);
    assert_int_equal(board_claim(&board, 1, 5, 10, 0, &a), -1); /* the first has another length */
    assert_int_equal(board_claim(&board, 1, 5, 20, 8, &a), -1); /* a message on its way may be for it */
    assert_int_equal(board_claim(&board, 1, 5, 20, 7, &a), first);
    board_decline(&board, first);
    assert_false(board_free(&board, first));
    assert_true(board_withdraw(&board, first));
    board_clear(&board);
    assert_int_equal(board.used, 0);
    assert_int_equal(board_claim(&board, 1, 5, 10, 0, &a), -1);
}

enum {
    RECEIVES = 100000
};

static _Atomic uint64_t told; /* receivers that the writer has claimed, in order: the last one */
static _Atomic int over;

/* Claims in order; a claimed one is never withdrawn. */
static void *write_all(void *unused)
{
    uint64_t last = 0;

    (void)unused;
    while (!atomic_load(&over)) {
        struct announcement a;
        int slot = board_claim(&board, 1, 5, 10, 0, &a);

        if (slot < 0)
            continue;
        if (a.receiver <= last || atomic_load(&told))
            abort();
        last = a.receiver;
        atomic_store(&told, a.receiver << 8 | (unsigned)slot);
        while (atomic_load(&told))
            ;
    }
    return NULL;
}

/* The owner announces and withdraws as fast as it can while the writer claims. */
static void claims_and_withdrawals_exclude_each_other(void **state)
{
    pthread_t writer;
    int claimed = 0, withdrawn = 0;

    (void)state;
    board = (struct board){0};
    assert_int_equal(pthread_create(&writer, NULL, write_all, NULL), 0);
    for (uint64_t i = 1; i <= RECEIVES; i++) {
        struct announcement a = receive_of(1, 5, 10, 0);
        int slot;
        uint64_t found;

        a.receiver = i;
        slot = board_announce(&board, &a);
        assert_true(slot >= 0);
        for (int wait = (int)(i % 1024); wait > 0; wait--)
            (void)atomic_load(&told);
        if (i % 64 == 0)
            sched_yield();
        if (board_withdraw(&board, slot)) {
            withdrawn++;
            continue;
        }
        while (!(found = atomic_load(&told)))
            ;
        assert_true(found == (i << 8 | (unsigned)slot));
        assert_true(board_free(&board, slot));
        atomic_store(&told, 0);
        claimed++;
    }
    atomic_store(&over, 1);
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(claimed + withdrawn, RECEIVES);
    print_message("%d claimed, %d withdrawn\n", claimed, withdrawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_earliest_is_claimed),
        cmocka_unit_test(order_is_that_of_announcing),
        cmocka_unit_test(no_claim_passes_over_another),
        cmocka_unit_test(claims_and_withdrawals_exclude_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
