/* What is put into a channel comes out in order and as it was, whatever lines are left out; what there is no room for is refused. */
#include "insight/board/board.c"
#include "insight/board/finding_list.c"
#include "insight/board/message_channel.c"
#include "insight/board/message_read.c"

#include "unit.h"

#include <stdlib.h>

enum {
    MESSAGES = 100000,
    FROM = 2,
    TO = 1
};

struct process process = {.rank = TO}; /* the reader's */

static struct message_channel *open_channel(void)
{
    static struct board *made;

    if (!made)
        assert_true(board_make(&made) >= 0);
    board = made;
    board->channel[FROM][TO] = 0;
    tail_seen[TO] = 0;
    return message_channel_from(FROM, TO, true);
}

/* Many kinds, of one item and of all, and counts that no slot has room for. */
static struct message_envelope some_message(int i)
{
    uint32_t basic = i % 7 ? 100 + (uint32_t)(i % 3) : 0;
    uint64_t items = i % 11 == 0 ? 0 : i % 13 == 0 ? UINT64_C(1) << (20 + i % 20) : (uint64_t)(i % 50) + 1;

    return (struct message_envelope){
        .comm = (uint64_t)(i % 5),
        .tag = i,
        .from = i % 4,
        .signature = {items, items * 4, basic ? 0 : (uint64_t)rand(), basic, i % 17 != 0},
        .place = (uint64_t)(i % 6) << PLACE_MODULE | (uint64_t)(i % 9),
        .known = (uint32_t)i * 3};
}

static void assert_same(const struct message_envelope *a, const struct message_envelope *b)
{
    const struct type_signature *s = &a->signature, *t = &b->signature;

    assert_int_equal(a->tag, b->tag);
    assert_true(a->comm == b->comm && a->from == b->from && a->place == b->place && a->known == b->known &&
                a->number == b->number);
    assert_true(s->items == t->items && s->bytes == t->bytes && s->hash == t->hash && s->basic == t->basic &&
                s->is_known == t->is_known);
}

static void test_in_order(void **state)
{
    static struct message_envelope sent[MESSAGES];
    struct message_channel *c = open_channel();
    int put = 0, taken = 0, refused = 0;
    struct unmatched *u;

    (void)state;
    srand(1);
    while (taken < MESSAGES) {
        bool is_full = false;

        for (int burst = rand() % (rand() % 20 ? 10 : 700); burst > 0 && put < MESSAGES && !is_full;
             burst--) {
            sent[put] = some_message(put);
            sent[put].number = message_channel_put(c, TO, &sent[put], rand() % 3 == 0);
            is_full = sent[put].number == 0;
            refused += is_full;
            put += !is_full;
            if (!is_full)
                sent[put - 1].number--;
        }
        for (int burst = is_full ? 700 : rand() % 20; burst > 0 && taken < put; burst--) {
            assert_true(message_channel_take(FROM, &message_channel_unmatched[FROM]));
            u = message_channel_unmatched[FROM];
            assert_same(&u->envelope, &sent[taken++]);
            message_channel_unmatched[FROM] = u->next;
            message_channel_free(u);
        }
    }
    assert_true(refused > 0);
    assert_false(message_channel_take(FROM, &message_channel_unmatched[FROM]));
}

/* As many as half of the slots is room for, however they are sent, and not more than all. */
static void test_room(void **state)
{
    struct message_envelope e = some_message(1);

    (void)state;
    for (int is_apart = 0; is_apart < 2; is_apart++) {
        struct message_channel *c = open_channel();
        int count = 0;

        while (message_channel_put(c, TO, &e, is_apart))
            count++;
        assert_in_range(count, CHANNEL_SLOTS / 2, CHANNEL_SLOTS);
        assert_true(message_channel_drain(FROM));
        for (struct unmatched *u; (u = message_channel_unmatched[FROM]); message_channel_free(u), count--)
            message_channel_unmatched[FROM] = u->next;
        assert_int_equal(count, 0);
        assert_true(message_channel_put(c, TO, &e, is_apart));
    }
}

/* More kinds than a channel has places for are not taken for one another. */
static void test_kinds(void **state)
{
    struct message_channel *c = open_channel();
    struct message_envelope e = some_message(1);
    int count = 0;

    (void)state;
    for (e.place = 0; message_channel_put(c, TO, &e, false); e.place++)
        count++;
    assert_int_equal(count, CHANNEL_KINDS);
    assert_true(message_channel_drain(FROM));
    for (uint64_t i = 0; i < CHANNEL_KINDS; i++) {
        struct unmatched *u = message_channel_unmatched[FROM];

        assert_true(u->envelope.place == i);
        message_channel_unmatched[FROM] = u->next;
        message_channel_free(u);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_order), cmocka_unit_test(test_room),
                                              cmocka_unit_test(test_kinds)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
