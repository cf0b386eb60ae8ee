#include "hint/vote.h"

#include "unit.h"

#include <string.h>

static void value_is(const struct hints *h, enum hint_id id, const char *expected)
{
    char now[64];

    assert_true(hint_format(h, id, now, sizeof now));
    assert_string_equal(now, expected);
}

static bool agree_on_votes(const struct hints *a, const struct hints *b)
{
    struct vote sum = vote_of(a, 0), other = vote_of(b, 1);

    vote_add(&sum, &other);
    return !vote_is_split(&sum);
}

static void agreement(void **state)
{
    struct hints a, b;
    char why[256];

    (void)state;
    hints_init(&a, ON_COMM);
    hints_init(&b, ON_COMM);
    assert_true(agree_on_votes(&a, &b));
    hint_offer(&a, AT_SET, "mpi_assert_no_any_tag", "true"); /* local to each rank */
    assert_true(agree_on_votes(&a, &b));
    hint_offer(&a, AT_SET, "mpi_assert_strict_persistent_collective_ordering", "true");
    assert_false(agree_on_votes(&a, &b));
    hint_offer(&b, AT_SET, "mpi_assert_strict_persistent_collective_ordering", "true");
    assert_true(agree_on_votes(&a, &b));
    hint_disagreed(&a, HINT_STRICT_PERSISTENT_ORDERING);
    assert_int_equal(hint_value(&a, HINT_STRICT_PERSISTENT_ORDERING), 0);
    assert_int_equal(hint_value(&a, HINT_NO_ANY_TAG), 1);
    hint_explain(&a, HINT_STRICT_PERSISTENT_ORDERING, NULL, why, sizeof why);
    assert_string_equal(why, "ignored: the ranks gave different values");
    hints_fini(&a);
    hints_fini(&b);
}

/* Rank `odd` of `size` has "true", the others do not; every rank settles. */
static void settle_with_odd(int odd, int size)
{
    struct hints h[8];
    struct vote sum = {0};

    for (int rank = 0; rank < size; rank++) {
        struct vote mine;

        hints_init(&h[rank], ON_COMM);
        if (rank == odd)
            hint_offer(&h[rank], AT_SET, "mpi_assert_strict_persistent_collective_ordering", "true");
        mine = vote_of(&h[rank], rank);
        vote_add(&sum, &mine);
    }
    for (int rank = 0; rank < size; rank++) {
        vote_settle(&sum, &h[rank], rank);
        assert_int_equal(hint_value(&h[rank], HINT_STRICT_PERSISTENT_ORDERING), rank == odd && size == 1);
        hints_fini(&h[rank]);
    }
}

static void disagree(void)
{
    settle_with_odd(2, 5);
}

static void agree(void)
{
    settle_with_odd(0, 1);
    settle_with_odd(-1, 5);
}

static void the_odd_rank_is_named_once(void **state)
{
    char said[1024];

    (void)state;
    hear_stderr(agree, said, sizeof said);
    assert_string_equal(said, "");
    hear_stderr(disagree, said, sizeof said);
    assert_string_equal(
        said,
        "inkling: warning: communicator: info key \"mpi_assert_strict_persistent_collective_ordering\" must "
        "be the same on all ranks, but rank 2 has \"true\" and 4 ranks (the first is 0) have "
        "\"false\"; it is \"false\" now on all of them\n");
    hear_stderr(disagree, said, sizeof said);
    assert_string_equal(said, "");
}

static struct vote count_words(const uint64_t *word, int count, int first)
{
    struct vote sum = {0};

    for (int i = 0; i < count; i++) {
        struct vote one = {.party[0] = {.word = word[i], .ranks = 1, .first = first + i}};

        vote_add(&sum, &one);
    }
    return sum;
}

static void votes_add_up_in_any_order(void **state)
{
    static const uint64_t word[] = {0, 0, 1, 0, 1, 0};
    struct vote low = count_words(word, 3, 0), high = count_words(word + 3, 3, 3), other = high;

    (void)state;
    vote_add(&other, &low);
    vote_add(&low, &high);
    assert_true(vote_is_split(&low) && vote_is_split(&other));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(low.party[i].ranks, low.party[i].word ? 2 : 4);
        assert_int_equal(low.party[i].first, low.party[i].word ? 2 : 0);
        assert_int_equal(other.party[i].ranks, other.party[i].word ? 2 : 4);
        assert_int_equal(other.party[i].first, other.party[i].word ? 2 : 0);
    }
    high = count_words(word + 3, 1, 3);
    assert_false(vote_is_split(&high));
}

enum {
    WIN_RANKS = 5
};

/* Five ranks make a window: rank 3 forgets no_locks, ranks 0 and 1 give another granularity, all give same_size
 * and each another accumulate_ordering. Every rank adds the votes up, beginning with its own, and settles. */
static void settle_window(void)
{
    struct hints h[WIN_RANKS];
    struct vote_rows mine[WIN_RANKS];

    for (int rank = 0; rank < WIN_RANKS; rank++) {
        hints_init(&h[rank], ON_WIN);
        if (rank != 3)
            hint_offer(&h[rank], AT_CREATE, "no_locks", "true");
        hint_offer(&h[rank], AT_CREATE, "mpi_accumulate_granularity", rank < 2 ? "64" : "8");
        hint_offer(&h[rank], AT_CREATE, "same_size", "true");
        hint_offer(&h[rank], AT_CREATE, "accumulate_ordering", rank % 2 ? "waw" : "none");
        mine[rank] = vote_rows_of(&h[rank], rank);
    }
    for (int rank = 0; rank < WIN_RANKS; rank++) {
        struct vote_rows sum = mine[rank];

        for (int i = 1; i < WIN_RANKS; i++)
            vote_rows_add(&sum, &mine[(rank + i) % WIN_RANKS]);
        vote_rows_settle(&sum, &h[rank], rank);
        value_is(&h[rank], HINT_NO_LOCKS, "false");
        value_is(&h[rank], HINT_ACCUMULATE_GRANULARITY, "0");
        value_is(&h[rank], HINT_SAME_SIZE, "true");
        value_is(&h[rank], HINT_SAME_DISP_UNIT, "false");
        value_is(&h[rank], HINT_ACCUMULATE_ORDERING, rank % 2 ? "waw" : "none");
        assert_int_equal(h[rank].verdict[HINT_NO_LOCKS], HINT_DISAGREED);
        assert_int_equal(h[rank].verdict[HINT_ACCUMULATE_GRANULARITY], HINT_DISAGREED);
        assert_int_equal(h[rank].verdict[HINT_SAME_DISP_UNIT], HINT_NOT_OFFERED);
        assert_int_equal(h[rank].verdict[HINT_SAME_SIZE], HINT_ACCEPTED);
        hints_fini(&h[rank]);
    }
}

static void each_row_of_a_window_is_settled_alone(void **state)
{
    char said[1024];

    (void)state;
    hear_stderr(settle_window, said, sizeof said);
    assert_string_equal(
        said,
        "inkling: warning: window: info key \"mpi_accumulate_granularity\" must be the same on all ranks, "
        "but 2 "
        "ranks (the first is 0) have \"64\" and 3 ranks (the first is 2) have \"8\"; it is \"0\" now on "
        "all of them\n"
        "inkling: warning: window: info key \"no_locks\" must be the same on all ranks, but rank 3 has "
        "\"false\" and "
        "4 ranks (the first is 0) have \"true\"; it is \"false\" now on all of them\n");
    hear_stderr(settle_window, said, sizeof said);
    assert_string_equal(said, "");
}

/* A sum of votes is sent as bytes: equal sums have equal bytes, whatever lay there before. */
static void votes_are_plain_bytes(void **state)
{
    struct vote_rows a, b;
    struct hints h;

    (void)state;
    hints_init(&h, ON_WIN);
    memset(&a, 0x5a, sizeof a);
    memset(&b, 0xa5, sizeof b);
    a = vote_rows_of(&h, 1);
    b = vote_rows_of(&h, 1);
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(sizeof a, VOTE_ROWS * (2 * 16 + 24));
    vote_rows_add(&a, &b);
    for (int row = 0; row < VOTE_ROWS; row++) {
        assert_int_equal(a.row[row].party[0].ranks, 2);
        assert_false(vote_is_split(&a.row[row]));
    }
    hints_fini(&h);
}

/* Three values: nobody knows how many have each, but all know that they differ. */
static void three_values_are_a_disagreement(void **state)
{
    static const uint64_t word[] = {8, 0, 64, 0};
    struct vote sum = count_words(word, 4, 0);

    (void)state;
    assert_true(vote_is_split(&sum));
    assert_int_equal(sum.others, 1);
    assert_int_equal(vote_winner(&sum)->word, 0);
}

/* Ranks 0 to 2 give a communicator different algorithms of different collectives, ranks 1 to 3 the same one of another. */
static void settle_rows_of_a_communicator(void)
{
    static const char *const key[] = {"inkling_barrier", "inkling_bcast", "inkling_reduce", "inkling_scan"};
    struct hints h[4];
    struct vote sum = {0}, mine;

    for (int rank = 0; rank < 4; rank++) {
        hints_init(&h[rank], ON_COMM);
        hint_offer(&h[rank], AT_CREATE, "inkling_allreduce", "doubling");
        hint_offer(&h[rank], AT_CREATE, key[rank], rank == 3 ? "mailbox" : "tree");
        mine = vote_of(&h[rank], rank);
        vote_add(&sum, &mine);
    }
    for (int rank = 0; rank < 4; rank++) {
        vote_settle(&sum, &h[rank], rank);
        value_is(&h[rank], HINT_ALLREDUCE, "doubling");
        for (int id = HINT_BARRIER; id <= HINT_SCAN; id++)
            assert_int_equal(hint_follows(&h[rank], (enum hint_id)id), id != HINT_ALLREDUCE);
        assert_int_equal(hint_value(&h[rank], HINT_STRICT_PERSISTENT_ORDERING), 0);
        hints_fini(&h[rank]);
    }
}

static void each_row_of_a_communicator_is_settled_alone(void **state)
{
    char said[2048];

    (void)state;
    hear_stderr(settle_rows_of_a_communicator, said, sizeof said);
    assert_non_null(
        strstr(said, "\"inkling_barrier\" must be the same on all ranks, but rank 1 has \"auto\" and rank 0 "
                     "has \"tree\" and 2 other values; it is \"auto\" now"));
    assert_non_null(
        strstr(said, "\"inkling_scan\" must be the same on all ranks, but it is not; it is \"auto\" now"));
    assert_null(strstr(said, "allreduce"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agreement),
        cmocka_unit_test(the_odd_rank_is_named_once),
        cmocka_unit_test(votes_add_up_in_any_order),
        cmocka_unit_test(three_values_are_a_disagreement),
        cmocka_unit_test(each_row_of_a_window_is_settled_alone),
        cmocka_unit_test(each_row_of_a_communicator_is_settled_alone),
        cmocka_unit_test(votes_are_plain_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
