/* Which advertised receives a sender takes: none whose earlier message may be on its way still. */
#include "p2p/rndv/recv_advert.c" /* for `claim_advert` */
#include "unit.h"

enum {
    CONTEXT = 70,
    TAG = 3,
    BYTES = 4096
};

static struct advert_table adverts;
static struct peer receiver, *receivers[1];
static struct comm comm;
static uint64_t messages; /* sent to the receiver */

static uint64_t count_messages(struct peer *peer)
{
    (void)peer;
    return messages;
}

static const struct transport pretended = {.name = "pretended", .sent = count_messages};

static int recv_advert_test_open(void **state)
{
    static int process;

    (void)state;
    adverts = (struct advert_table){0};
    receiver = (struct peer){.transport = &pretended, .peer_adverts = &adverts};
    list_init(&receiver.waiting);
    receivers[0] = &receiver;
    net_peers[0] = receivers;
    comm = (struct comm){.context = CONTEXT, .size = 1, .process = &process};
    comm.hints.value[HINT_EXACT_LENGTH] = 1;
    messages = 0;
    return 0;
}

static int recv_advert_test_close(void **state)
{
    (void)state;
    free(receiver.sent_counts);
    return 0;
}

/* Sends a message in another way. */
static void send_one(int tag)
{
    messages++;
    recv_advert_count_sent(&receiver, &comm, tag);
}

/* Whether a message is written into a receive that was advertised when so many had been received. */
static bool is_written(int tag, uint64_t seen)
{
    const struct advert a = {
        .context = comm.context, .address = 64, .bytes = BYTES, .seen = seen, .tag = tag};
    struct advert found;
    int posted = advert_post(&adverts, &a), slot = claim_advert(&receiver, &comm, tag, BYTES, &found);

    assert_true(posted >= 0);
    if (slot < 0) {
        assert_true(advert_withdraw(&adverts, posted));
        return false;
    }
    assert_int_equal(slot, posted);
    assert_true(advert_free(&adverts, slot));
    return true;
}

static void an_earlier_message_has_been_seen(void **state)
{
    (void)state;
    assert_true(is_written(TAG, 0));
    send_one(TAG);
    send_one(TAG);
    assert_false(is_written(TAG, 1));
    assert_true(is_written(TAG, 2));
    assert_false(is_written(TAG, 0));
}

/* Messages with other tags do not matter, but for those that have a count in common. */
static void other_tags_have_their_own_count(void **state)
{
    int alone = 0;

    (void)state;
    assert_true(is_written(TAG, 0)); /* counts begin */
    send_one(TAG);
    for (int tag = 0; tag < 100; tag++)
        alone += tag != TAG && is_written(tag, 0);
    assert_true(alone >= 90);
    comm.context++;
    assert_true(is_written(TAG, 0));
}

/* What was sent before the counts began is not known: it may be the earlier message. */
static void what_was_sent_before_counts(void **state)
{
    (void)state;
    messages = 7;
    assert_false(is_written(TAG, 6));
    assert_true(is_written(TAG, 7));
}

/* Messages that were sent while hints were others are in no count. */
static void changed_hints_begin_counts_anew(void **state)
{
    (void)state;
    send_one(TAG);
    assert_true(is_written(TAG, 1));
    messages = 5; /* without a hint */
    recv_advert_forget(&comm, &lanes[0]);
    assert_false(is_written(TAG, 4));
    assert_true(is_written(TAG, 5));
    messages = 9;
    comm.hints.value[HINT_EXACT_LENGTH] = 0; /* the next one to look begins */
    recv_advert_forget(&comm, &lanes[0]);
    assert_false(is_written(TAG, 8));
    assert_true(is_written(TAG, 9));
}

/* A message that waits for room goes first, whatever its tag; later its number is that of all. */
static void what_waits_for_room_goes_first(void **state)
{
    struct link waits;

    (void)state;
    assert_true(is_written(TAG, 0));
    list_init(&waits);
    list_add(&receiver.waiting, &waits);
    recv_advert_count_sent(&receiver, &comm, TAG);
    assert_false(is_written(TAG, 100));
    assert_false(is_written(TAG + 1, 100));
    list_remove(&waits);
    messages = 3;
    assert_false(is_written(TAG, 2));
    assert_true(is_written(TAG, 3));
    assert_true(is_written(TAG + 1, 0));
}

#define ADVERTS(test) cmocka_unit_test_setup_teardown(test, recv_advert_test_open, recv_advert_test_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ADVERTS(an_earlier_message_has_been_seen), ADVERTS(other_tags_have_their_own_count),
        ADVERTS(what_was_sent_before_counts), ADVERTS(changed_hints_begin_counts_anew),
        ADVERTS(what_waits_for_room_goes_first)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
