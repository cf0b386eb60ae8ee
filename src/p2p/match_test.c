#include "p2p/match.h"

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
    assert_true(match_keep(space, &a));
    messages[message_count++] = (struct reference_message){source, tag, number, true};
}

static void receive(struct match_space *space, int source, int tag)
{
    struct reference_message *expected = expected_message(source, tag);
    struct unexpected *u = match_look(space, source, tag);
    uint64_t number;

    assert_int_equal(u != NULL, expected != NULL);
    if (u) {
        memcpy(&number, u->payload, sizeof number);
        assert_int_equal(number, expected->number);
        expected->kept = false;
        match_take(space, u);
        free(u);
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
    assert_int_equal(space->unexpected.count, 0);
    assert_int_equal(space->any_source + space->any_tag + space->any_both, 0);
}

static void matches_as_the_reference_does(void **state)
{
    struct match_space space = {0};
    unsigned seed = 1995;

    (void)state;
    print_message("seed %u\n", seed);
    srand(seed);
    for (int step = 0; step < STEPS; step++) {
        int source = rand() % RANKS, tag = rand() % TAGS;

        if (rand() % 2)
            arrive(&space, source, tag, (uint64_t)step);
        else
            receive(&space, rand() % 4 ? source : MPI_ANY_SOURCE, rand() % 4 ? tag : MPI_ANY_TAG);
        if (receive_count == LIMIT || message_count == LIMIT)
            drain(&space);
    }
    drain(&space);
    free(space.posted.bucket);
    free(space.unexpected.bucket);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_as_the_reference_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
