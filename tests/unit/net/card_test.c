#include "net/card.h"

#include "boot/boot.h"
#include "boot/host.h"
#include "hint/hint.h"
#include "net/net.h"
#include "plain/fail.h"
#include "unit.h"

#include <string.h>

enum {
    SIZE = 3 /* processes of this job */
};

static uint64_t own;

static int be_of_a_job(void **state)
{
    (void)state;
    boot.job = "here";
    boot.size = SIZE;
    boot.rank = 2;
    boot.local_rank = 1;
    own = host_hash(boot.job);
    return 0;
}

static void own_processes_have_their_ranks(void **state)
{
    struct card_address address = {.owner = "a", .length = 1};

    (void)state;
    assert_int_equal(card_find(own, 0), 0);
    assert_int_equal(card_find(own, SIZE - 1), SIZE - 1);
    assert_int_equal(card_find(own, SIZE), -1);
    assert_int_equal(card_find(own, -1), -1);
    assert_int_equal(card_end(), SIZE);
    assert_true(card_mine().job == own && card_mine().rank == 2 && card_mine().local_rank == 1);
    assert_int_equal(card_mine().address.length, 0);
    card_set_address(&address);
    assert_string_equal(card_mine().address.owner, "a");
    assert_int_equal(card_number(&(struct card){.job = own, .rank = 1}), 1);
    assert_int_equal(card_end(), SIZE);
}

/* A communicator that is revoked has nobody in place of its ranks. */
static void nobody_shares_the_host(void **state)
{
    int nobody = net_nobody();

    (void)state;
    assert_int_equal(hint_process_init(), 0);
    assert_true(net_host()); /* or nobody would be looked at */
    assert_false(net_shares_host(&nobody, 1));
}

static int number(uint64_t job, int32_t rank)
{
    return card_number(&(struct card){.job = job, .rank = rank, .host = job + (uint64_t)rank});
}

static void others_get_numbers_behind(void **state)
{
    (void)state;
    assert_int_equal(card_find(own + 1, 0), -1);
    assert_int_equal(number(own + 1, 0), SIZE);
    assert_int_equal(number(own + 1, 5), SIZE + 1);
    assert_int_equal(number(own + 2, 5), SIZE + 2);
    assert_int_equal(number(own + 1, 0), SIZE);
    assert_int_equal(number(own + 1, 5), SIZE + 1);
    assert_int_equal(card_find(own + 2, 5), SIZE + 2);
    assert_int_equal(card_find(own + 2, 0), -1);
    assert_int_equal(card_end(), SIZE + 3);
    assert_true(card_of(SIZE + 1)->job == own + 1 && card_of(SIZE + 1)->rank == 5);
    assert_true(card_of(SIZE + 2)->host == own + 2 + 5);
    for (int i = 0; i < SIZE + 3; i++)
        for (int j = 0; j < i; j++)
            assert_true(card_identity(i) != card_identity(j));
}

static void numbers_come_to_an_end(void **state)
{
    (void)state;
    for (int rank = 0; card_end() < SIZE + CARD_GUESTS; rank++)
        assert_int_equal(number(own + 3, rank), SIZE + 3 + rank);
    assert_int_equal(number(own + 4, 0), -1);
    assert_non_null(strstr(fail_note(), "there may be 65536"));
    assert_int_equal(number(own + 3, 1000), SIZE + 3 + 1000);
    assert_int_equal(card_of(SIZE + CARD_GUESTS - 1)->job, own + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_processes_have_their_ranks), cmocka_unit_test(nobody_shares_the_host),
        cmocka_unit_test(others_get_numbers_behind), cmocka_unit_test(numbers_come_to_an_end)};

    return cmocka_run_group_tests(tests, be_of_a_job, NULL);
}
