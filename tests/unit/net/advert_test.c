#include "net/advert.h"

#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static struct advert_table advert_table;

static struct advert receive_of(uint64_t context, int tag, uint64_t bytes, uint64_t seen)
{
    return (struct advert){
        .context = context, .tag = tag, .bytes = bytes, .seen = seen, .receiver = 100 + seen};
}

static int post(uint64_t context, int tag, uint64_t bytes, uint64_t seen)
{
    struct advert a = receive_of(context, tag, bytes, seen);

    return advert_post(&advert_table, &a);
}

static void the_earliest_is_claimed(void **state)
{
    struct advert a;
    int first, second, other;

    (void)state;
    advert_table = (struct advert_table){0};
    assert_int_equal(advert_claim(&advert_table, 1, 5, 10, 0, &a), -1);
    other = post(1, 6, 10, 0);
    first = post(1, 5, 10, 1);
    second = post(1, 5, 10, 2);
    assert_int_equal(advert_claim(&advert_table, 2, 5, 10, 0, &a), -1);
    assert_int_equal(advert_claim(&advert_table, 1, 5, 10, 0, &a), first);
    assert_int_equal(a.receiver, 101);
    assert_int_equal(advert_claim(&advert_table, 1, 5, 10, 0, &a), second);
    assert_int_equal(advert_claim(&advert_table, 1, 5, 10, 0, &a), -1);
    assert_false(advert_withdraw(&advert_table, first));
    assert_true(advert_free(&advert_table, first));
    assert_true(advert_free(&advert_table, second));
    assert_false(advert_free(&advert_table, other));
    assert_true(advert_withdraw(&advert_table, other));
    assert_int_equal(advert_table.used, 0);
}

/* Slots are reused in any order; which advert is the earliest does not depend on it. */
static void order_is_that_of_announcing(void **state)
{
    struct advert a;
    int slot[ADVERT_SLOTS];

    (void)state;
    advert_table = (struct advert_table){0};
    for (int i = 0; i < ADVERT_SLOTS; i++)
        slot[i] = post(1, 5, 10, (uint64_t)i);
    assert_int_equal(post(1, 5, 10, 99), -1);
    assert_true(advert_withdraw(&advert_table, slot[0]));
    assert_int_equal(post(1, 5, 10, ADVERT_SLOTS), slot[0]);
    for (int i = 1; i <= ADVERT_SLOTS; i++) {
        int claimed = advert_claim(&advert_table, 1, 5, 10, 0, &a);

        assert_int_equal(a.seen, i);
        assert_true(advert_free(&advert_table, claimed));
    }
}

/* An advert that may not be claimed keeps later ones from being claimed too. */
static void no_claim_passes_over_another(void **state)
{
    struct advert a;
    int first;

    (void)state;
    advert_table = (struct advert_table){0};
    first = post(1, 5, 20, 7);
    post(1, 5, 10, 8);
    assert_int_equal(advert_claim(&advert_table, 1, 5, 10, 0, &a), -1); /* the first has another length */
    assert_int_equal(advert_claim(&advert_table, 1, 5, 20, 8, &a),
                     -1); /* a message on its way may be for it */
    assert_int_equal(advert_claim(&advert_table, 1, 5, 20, 7, &a), first);
    advert_decline(&advert_table, first);
    assert_false(advert_free(&advert_table, first));
    assert_true(advert_withdraw(&advert_table, first));
    advert_clear(&advert_table);
    assert_int_equal(advert_table.used, 0);
    assert_int_equal(advert_claim(&advert_table, 1, 5, 10, 0, &a), -1);
}

enum {
    RECEIVES = 100000
};

static _Atomic uint64_t told; /* the last receiver that the writer has claimed; they come in order */
static _Atomic int over;

/* Claims in order; a claimed one is never withdrawn. */
static void *write_all(void *unused)
{
    uint64_t last = 0;

    (void)unused;
    while (!atomic_load(&over)) {
        struct advert a;
        int slot = advert_claim(&advert_table, 1, 5, 10, 0, &a);

        if (slot < 0)
            continue;
        if (a.receiver <= last || atomic_load(&told))
            abort();
        last = a.receiver;
        atomic_store(&told, a.receiver << 8 | (unsigned)slot);
        while (atomic_load(&told))
            sched_yield();
    }
    return NULL;
}

/* The owner posts and withdraws as fast as it can while the writer claims. */
static void claims_and_withdrawals_exclude_each_other(void **state)
{
    pthread_t writer;
    int claimed = 0, withdrawn = 0;

    (void)state;
    advert_table = (struct advert_table){0};
    assert_int_equal(pthread_create(&writer, NULL, write_all, NULL), 0);
    for (uint64_t i = 1; i <= RECEIVES; i++) {
        struct advert a = receive_of(1, 5, 10, 0);
        int slot;
        uint64_t found;

        a.receiver = i;
        slot = advert_post(&advert_table, &a);
        assert_true(slot >= 0);
        for (int wait = (int)(i % 1024); wait > 0; wait--)
            (void)atomic_load(&told);
        if (i % 64 == 0)
            sched_yield();
        if (advert_withdraw(&advert_table, slot)) {
            withdrawn++;
            continue;
        }
        while (!(found = atomic_load(&told)))
            sched_yield();
        assert_true(found == (i << 8 | (unsigned)slot));
        assert_true(advert_free(&advert_table, slot));
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
