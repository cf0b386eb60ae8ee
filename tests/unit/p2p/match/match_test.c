#include "p2p/match/match.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

/* A reference of MPI's matching rules, by linear search, beside the real thing. */
enum {
    LIMIT = 4096,
    RANKS = 4,
    TAGS = 5,
    STEPS = 200000
};

struct reference_receive {
    struct posted posted;
    int source, tag;
    bool waiting;
};

struct reference_message {
    int source, tag;
    uint64_t number;
    bool kept;
};

static struct reference_receive receives[LIMIT];
static struct reference_message messages[LIMIT];
static int receive_count, message_count;

static bool accepts(int source, int tag, int from, int with)
{
    return (source == MPI_ANY_SOURCE || source == from) && (tag == MPI_ANY_TAG || tag == with);
}

static struct reference_receive *expected_receive(int from, int with)
{
    for (int i = 0; i < receive_count; i++)
        if (receives[i].waiting && accepts(receives[i].source, receives[i].tag, from, with))
            return &receives[i];
    return NULL;
}

static struct reference_message *expected_message(int source, int tag)
{
    for (int i = 0; i < message_count; i++)
        if (messages[i].kept && accepts(source, tag, messages[i].source, messages[i].tag))
            return &messages[i];
    return NULL;
}

static void arrive(struct match_space *space, int source, int tag, uint64_t number)
{
    struct message m = {.length = sizeof number, .kind = 1, .source = source, .tag = tag};
    struct arrival a = {.message = &m, .payload = &number};
    struct reference_receive *expected = expected_receive(source, tag);
    struct posted *p = match_arrival(space, source, tag);

    assert_ptr_equal(p, expected ? &expected->posted : NULL);
    if (expected) {
        expected->waiting = false;
        return;
    }
    assert_true(unexpected_keep(&space->unexpected, &a));
    messages[message_count++] = (struct reference_message){source, tag, number, true};
}

static void receive(struct match_space *space, int source, int tag)
{
    struct reference_message *expected = expected_message(source, tag);
    struct unexpected *u = unexpected_find(&space->unexpected, source, tag);
    uint64_t number;

    assert_int_equal(u != NULL, expected != NULL);
    if (u) {
        memcpy(&number, unexpected_payload(u), sizeof number);
        assert_int_equal(number, expected->number);
        expected->kept = false;
        unexpected_take(&space->unexpected, u);
        unexpected_free(&space->unexpected, u);
        return;
    }
    receives[receive_count] = (struct reference_receive){.source = source, .tag = tag, .waiting = true};
    assert_true(match_post(space, &receives[receive_count].posted, source, tag));
    receive_count++;
}

static void drain(struct match_space *space)
{
    for (int i = 0; i < receive_count; i++)
        if (receives[i].waiting)
            match_unpost(space, &receives[i].posted);
    for (int i = 0; i < message_count; i++)
        if (messages[i].kept)
            receive(space, messages[i].source, messages[i].tag);
    receive_count = message_count = 0;
    assert_int_equal(space->posted.count, 0);
    assert_int_equal(space->unexpected.keys.count + space->unexpected.live, 0);
    assert_int_equal(space->wildcards + space->any_source + space->any_tag + space->any_both, 0);
    assert_int_equal(space->unexpected.all.first + space->unexpected.all.last, 0);
}

/* `adapt`: what receives may name changes now and then, while messages wait. Receives ask for what they like
 * all the same, as another thread might. */
static void match_at_random(unsigned seed, bool any_source, bool any_tag, bool adapt)
{
    struct match_space space;

    match_space_init(&space, any_source, any_tag);
    print_message("seed %u\n", seed);
    srand(seed);
    for (int step = 0; step < STEPS; step++) {
        int source = rand() % RANKS, tag = rand() % TAGS;

        if (rand() % 2)
            arrive(&space, source, tag, (uint64_t)step);
        else
            receive(&space, rand() % 4 ? source : MPI_ANY_SOURCE, rand() % 4 ? tag : MPI_ANY_TAG);
        if (adapt && rand() % 100 == 0)
            unexpected_adapt(&space.unexpected, rand() % 2, rand() % 2);
        if (receive_count == LIMIT || message_count == LIMIT)
            drain(&space);
    }
    drain(&space);
    match_space_fini(&space);
}

static void matches_as_the_reference_does(void **state)
{
    (void)state;
    match_at_random(1995, true, true, false);
}

static void wildcards_asserted_away_or_not_make_no_difference(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        match_at_random(1996u + (unsigned)i, i & 1, i & 2, false);
    match_at_random(1999, true, true, true);
}

static struct posted *post(struct match_space *space, struct posted *p, int source, int tag)
{
    assert_true(match_post(space, p, source, tag));
    return p;
}

/* A single key, another one beside it, and back: receives are found in every state, and taken back. */
static void a_key_is_alone_until_a_second_comes(void **state)
{
    struct match_space space;
    struct posted p[4], **list;
    uint32_t count;

    (void)state;
    match_space_init(&space, true, true);
    for (int round = 0; round < 3; round++) {
        post(&space, &p[0], 1, 7);
        post(&space, &p[1], 1, 7); /* the same key: still single */
        assert_int_equal(space.posted.single.key, match_hash_key(1, 7));
        assert_ptr_equal(match_posted_before(&space, &p[1]), &p[0]);
        assert_null(match_posted_before(&space, &p[0]));
        assert_true(match_expects(&space, 1, 7));
        assert_false(match_expects(&space, 1, 8));
        assert_null(match_arrival(&space, 2, 7));
        assert_ptr_equal(match_arrival(&space, 1, 7), &p[0]);
        post(&space, &p[2], MPI_ANY_SOURCE, 7);
        assert_int_equal(space.posted.single.key, 0);
        post(&space, &p[3], 1, 7);
        list = match_list_posted(&space, &count);
        assert_int_equal(count, 3);
        free(list);
        match_unpost(&space, &p[1]);
        assert_ptr_equal(match_arrival(&space, 1, 7), &p[2]);
        assert_ptr_equal(match_arrival(&space, 1, 7), &p[3]);
        assert_null(match_arrival(&space, 1, 7));
        assert_int_equal(space.posted.count, 0);
    }
    post(&space, &p[0], MPI_ANY_SOURCE, MPI_ANY_TAG);
    list = match_list_posted(&space, &count);
    assert_int_equal(count, 1);
    assert_ptr_equal(list[0], &p[0]);
    free(list);
    assert_ptr_equal(match_arrival(&space, 3, 9), &p[0]);
    post(&space, &p[0], 1, 7);
    match_unpost(&space, &p[0]);
    assert_null(match_arrival(&space, 1, 7));
    match_space_fini(&space);
}

static void keep(struct unexpected_store *s, int source, int tag)
{
    struct message m = {.kind = 1, .source = source, .tag = tag};
    struct arrival a = {.message = &m};

    assert_true(unexpected_keep(s, &a));
}

static void take(struct unexpected_store *s, int source, int tag, int from, int with)
{
    struct unexpected *u = unexpected_find(s, source, tag);

    assert_non_null(u);
    assert_int_equal(u->source, from);
    assert_int_equal(u->tag, with);
    unexpected_take(s, u);
    unexpected_free(s, u);
}

/* A single message is in no table; it comes before the one that has it filed; any receive finds it,
 * also one that names a wildcard that was asserted away. */
static void a_message_is_alone_until_a_second_comes(void **state)
{
    struct unexpected_store s;

    (void)state;
    for (int i = 0; i < 4; i++) {
        unexpected_init(&s, i & 1, i & 2);
        for (int round = 0; round < 3; round++) {
            assert_true(unexpected_is_empty(&s));
            keep(&s, 1, 7);
            assert_false(unexpected_is_empty(&s));
            assert_int_equal(s.keys.count, 0);
            assert_null(unexpected_find(&s, 1, 8));
            assert_null(unexpected_find(&s, MPI_ANY_SOURCE, 8));
            assert_null(unexpected_find(&s, 2, MPI_ANY_TAG));
            take(&s, MPI_ANY_SOURCE, round ? 7 : MPI_ANY_TAG, 1, 7);
            keep(&s, 1, 7);
            unexpected_adapt(&s, round & 1, !(round & 1)); /* while it is single */
            keep(&s, 2, 7);
            assert_true(s.keys.count > 0);
            take(&s, MPI_ANY_SOURCE, 7, 1, 7);
            assert_false(unexpected_is_empty(&s));
            take(&s, MPI_ANY_SOURCE, MPI_ANY_TAG, 2, 7);
        }
        keep(&s, 1, 7);
        unexpected_fini(&s);
    }
}

/* What nobody may ask for costs no key. */
static void wildcards_asserted_away_save_keys(void **state)
{
    struct unexpected_store s;
    struct message m = {.source = 1};
    struct arrival a = {.message = &m};

    (void)state;
    for (int i = 0; i < 4; i++) {
        unexpected_init(&s, i & 1, i & 2);
        for (m.tag = 0; m.tag < 10; m.tag++)
            assert_true(unexpected_keep(&s, &a));
        assert_int_equal(s.keys.count, 10 + (i & 1 ? 10 : 0) + (i & 2 ? 1 : 0));
        unexpected_adapt(&s, true, true);
        assert_int_equal(s.keys.count, 21);
        unexpected_adapt(&s, false, false);
        assert_int_equal(s.keys.count, 10);
        unexpected_fini(&s);
    }
}

/* Payloads of any length, in records that move and are used again; a store that was large is given back. */
static void payloads_stay_whole(void **state)
{
    enum {
        MANY = 300000
    };
    struct unexpected_store s;
    unsigned char payload[64];
    struct message m = {.kind = 1};
    struct arrival a = {.message = &m, .payload = payload};
    struct unexpected *u;

    (void)state;
    unexpected_init(&s, true, true);
    for (int round = 0; round < 2; round++) {
        for (m.tag = 0; m.tag < MANY; m.tag++) {
            m.length = (uint32_t)m.tag % 64;
            memset(payload, m.tag % 251, sizeof payload);
            assert_true(unexpected_keep(&s, &a));
        }
        for (int tag = MANY - 1; tag >= 0; tag--) {
            u = unexpected_find(&s, 0, tag);
            assert_int_equal(u->length, tag % 64);
            memset(payload, tag % 251, sizeof payload);
            assert_memory_equal(unexpected_payload(u), payload, u->length);
            unexpected_take(&s, u);
            unexpected_free(&s, u);
        }
        assert_null(s.record);
        assert_int_equal(s.keys.count, 0);
    }
    unexpected_fini(&s);
}

/* How many messages of this size for a communicator that never comes are kept in so many bytes, the last of those
 * for orphans. */
static size_t keep_orphans(size_t room, uint32_t length)
{
    static struct lane lane;
    static char payload[1 << 20];
    struct message m = {.length = length, .kind = 1, .context = 77};
    struct arrival a = {.message = &m, .payload = payload};
    size_t kept = 0;

    lane.orphan_bytes = LANE_ORPHAN_BYTES - room;
    list_init(&lane.orphans);
    while (kept < room && match_keep_orphan(&lane, &a))
        kept++;
    while (!list_is_empty(&lane.orphans)) {
        struct link *first = lane.orphans.next;

        list_remove(first);
        free(first); /* the first member of its orphan */
    }
    return kept;
}

/* Whoever sends for a communicator that never comes does not fill this process's memory: a message counts with its
 * header, or empty ones would cost nothing. */
static void orphans_are_bounded(void **state)
{
    (void)state;
    assert_int_equal(keep_orphans(LANE_ORPHAN_BYTES, 1 << 20), (LANE_ORPHAN_BYTES >> 20) - 1);
    assert_in_range(keep_orphans(4096, 0), 1, 4096 / sizeof(struct message));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orphans_are_bounded),
        cmocka_unit_test(matches_as_the_reference_does),
        cmocka_unit_test(wildcards_asserted_away_or_not_make_no_difference),
        cmocka_unit_test(a_key_is_alone_until_a_second_comes),
        cmocka_unit_test(a_message_is_alone_until_a_second_comes),
        cmocka_unit_test(wildcards_asserted_away_save_keys),
        cmocka_unit_test(payloads_stay_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
