/* What a receiver lets its network read: what the sender has exposed, into memory in one run. */
#include "p2p/rndv/read.c" /* for `may_net_read` */
#include "unit.h"

static bool read_nothing(struct peer *peer, void *to, const struct exposed *from, uint64_t offset,
                         size_t bytes, const struct message *done)
{
    (void)peer, (void)to, (void)from, (void)offset, (void)bytes, (void)done;
    return false;
}

static const struct transport reads = {.name = "reads", .read = read_nothing},
                              reads_not = {.name = "reads_not"};

static void only_what_is_exposed(void **state)
{
    struct datatype items;
    struct peer peer = {.transport = &reads};
    struct transfer t = {.peer = &peer};
    struct rndv_rts in = {.wire.rts.key = 5};

    (void)state;
    assert_true(may_net_read(&t, &in));
    in.wire.rts.key = 0;
    assert_false(may_net_read(&t, &in));
    in.wire.rts.key = 5;
    in.has_export = true;
    assert_false(may_net_read(&t, &in));
    in.has_export = false;
    t.layout = &items;
    assert_false(may_net_read(&t, &in));
    t.layout = NULL;
    peer.transport = &reads_not;
    assert_false(may_net_read(&t, &in));
}

/* A read that has not begun is not waited for. */
static void a_read_that_does_not_begin(void **state)
{
    struct peer peer = {.transport = &reads};
    struct request r = {0};
    struct transfer *t = transfer_of(&r);
    struct rndv_rts in = {.wire.rts.key = 5};

    (void)state;
    t->peer = &peer;
    assert_false(start_net_read(t, &in));
    assert_false(t->awaits_read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_exposed),
        cmocka_unit_test(a_read_that_does_not_begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
