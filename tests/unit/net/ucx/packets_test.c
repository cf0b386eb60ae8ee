/* Packets over a pretended UCX, which says that one has left when the test does: a peer is lost meanwhile, and at the end nothing
 * that was sent may be given up. What arrives is kept until it is taken. */
#include "net/ucx/packets.h"

#include "unit.h"

#include <string.h>

enum {
    TAKEN_MOST = 256,
    SLOTS_EACH = 16, /* as in packets.c */
    ARRIVALS = 200   /* more than the queue has room for at first */
};

/* What UCX has taken; `request` is its address in `taken`. */
static struct taken {
    void (*left)(void *request, ucs_status_t status, void *user_data); /* NULL: it has */
    void *user_data;
    ucp_ep_h to;
    struct wire head;
} taken[TAKEN_MOST];
static int takes, requests, flushes, released;
static bool leaves_at_once, refuses;
static ucs_status_t flushed; /* what the flush that is under way says */
static ucp_am_recv_callback_t arrive;

static ucs_status_t set_handler(ucp_worker_h worker, const ucp_am_handler_param_t *handler)
{
    (void)worker;
    arrive = handler->cb;
    return UCS_OK;
}

static ucs_status_ptr_t take_packet(ucp_ep_h to, unsigned id, const void *header, size_t header_length,
                                    const void *packet, size_t bytes, const ucp_request_param_t *how)
{
    struct taken *t = &taken[takes];

    assert_int_equal(id, AM_PACKET);
    assert_true(!header && !header_length);
    if (refuses)
        return UCS_STATUS_PTR(UCS_ERR_CONNECTION_RESET);
    assert_true(takes < TAKEN_MOST);
    t->head = *(const struct wire *)packet;
    assert_int_equal(bytes, sizeof t->head + t->head.message.length);
    if (leaves_at_once)
        return NULL;
    t->left = how->cb.send;
    t->user_data = how->user_data;
    t->to = to;
    takes++;
    requests++;
    return t;
}

static void free_request(void *request)
{
    assert_non_null(request);
    requests--;
}

static ucs_status_ptr_t begin_flush(ucp_worker_h worker, const ucp_request_param_t *how)
{
    (void)worker;
    (void)how;
    flushes++;
    if (flushed == UCS_OK)
        return NULL;
    requests++;
    return &flushed;
}

static ucs_status_t ask_flush(void *request)
{
    assert_ptr_equal(request, &flushed);
    return flushed;
}

static void release_data(ucp_worker_h worker, void *data)
{
    (void)worker;
    (void)data;
    released++;
}

static const ucp_am_recv_param_t with_data = {.recv_attr = UCP_AM_RECV_ATTR_FLAG_DATA};

/* A packet that comes at a later look: the `looks_until` next ones move bytes of it. */
static struct wire coming = {.version = WIRE_VERSION, .kind = WIRE_MESSAGE, .message.kind = 1};
static int looks, looks_until; /* the second: -1: nothing comes */

static unsigned make_progress(ucp_worker_h worker)
{
    (void)worker;
    looks++;
    if (looks_until < 0)
        return 0;
    if (looks_until-- == 0)
        assert_int_equal(arrive(NULL, NULL, 0, &coming, sizeof coming, &with_data), UCS_INPROGRESS);
    return 1;
}

static const char *name_status(ucs_status_t status)
{
    (void)status;
    return "a reason";
}

static struct ucx_peer one, other;

static int packets_test_open(void **state)
{
    (void)state;
    ucx.ucp_worker_set_am_recv_handler = set_handler;
    ucx.ucp_am_send_nbx = take_packet;
    ucx.ucp_request_free = free_request;
    ucx.ucp_worker_flush_nbx = begin_flush;
    ucx.ucp_request_check_status = ask_flush;
    ucx.ucp_am_data_release = release_data;
    ucx.ucp_worker_progress = make_progress;
    ucx.ucs_status_string = name_status;
    takes = flushes = released = looks = 0;
    looks_until = -1;
    leaves_at_once = refuses = false;
    flushed = UCS_OK;
    one = (struct ucx_peer){.base.process = 1, .base.proof = 100, .ep = (ucp_ep_h)(void *)&one};
    other = (struct ucx_peer){.base.process = 2, .ep = (ucp_ep_h)(void *)&other};
    return packets_open();
}

static int packets_test_close(void **state)
{
    (void)state;
    packets_drop();
    packets_close();
    assert_int_equal(requests, 0);
    return 0;
}

static bool send_to(struct ucx_peer *peer)
{
    static const char payload[40] = "a payload";
    struct wire head = {.message.length = sizeof payload};

    return packets_send(&peer->base, &head, payload);
}

/* Says that the packet has left. */
static void leave(int i, ucs_status_t status)
{
    void (*left)(void *request, ucs_status_t status, void *user_data) = taken[i].left;

    taken[i].left = NULL;
    left(&taken[i], status, taken[i].user_data);
}

/* Of all to this peer; returns how many there were. */
static int leave_all(const struct ucx_peer *peer)
{
    int count = 0;

    for (int i = 0; i < takes; i++)
        if (taken[i].left && taken[i].to == peer->ep) {
            leave(i, UCS_OK);
            count++;
        }
    return count;
}

/* A peer that receives nothing has a part of the slots, and each comes back. */
static void each_peer_has_its_part_of_the_slots(void **state)
{
    (void)state;
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < SLOTS_EACH; i++)
            assert_true(send_to(&one));
        assert_false(send_to(&one));
        assert_true(send_to(&other));
        assert_int_equal(leave_all(&one), SLOTS_EACH);
        assert_int_equal(leave_all(&other), 1);
        takes = 0;
    }
    assert_true(packets_have_all_left());
}

/* No packet under way lies where another one does. */
static void packets_keep_their_places(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        takes = 0;
        for (int i = 0; i < SLOTS_EACH; i++)
            assert_true(send_to(i % 2 ? &one : &other));
        for (int i = 0; i < takes; i++)
            for (int k = 0; k < i; k++)
                assert_ptr_not_equal(taken[i].user_data, taken[k].user_data);
        for (int i = 0; i < takes; i++) /* in another order */
            leave((i * 5 + 3) % takes, UCS_OK);
    }
}

static void a_lost_peers_packets_count_no_more(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_true(send_to(&one) && send_to(&other));
    leave(0, UCS_OK);
    one.base.is_lost = true;
    packets_lose(&one);
    assert_false(send_to(&one));
    assert_int_equal(leave_all(&one), 2);
    leave(1, UCS_OK);
    assert_false(packets_have_all_left());
    assert_int_equal(leave_all(&other), 2);
    assert_true(packets_have_all_left());
    assert_int_equal(flushes, 1);
}

/* What UCX took at once may not have left yet: a flush says so. */
static void a_flush_follows_the_last_packets(void **state)
{
    (void)state;
    assert_true(packets_have_all_left());
    assert_int_equal(flushes, 0);
    leaves_at_once = true;
    flushed = UCS_INPROGRESS;
    assert_true(send_to(&one));
    assert_int_equal(one.outstanding, 0);
    assert_false(packets_have_all_left());
    assert_false(packets_have_all_left());
    assert_int_equal(flushes, 1);
    assert_true(send_to(&one)); /* behind the flush: another one follows */
    flushed = UCS_OK;
    for (int i = 0; i < 2; i++) /* the end of the first flush, and the second */
        packets_have_all_left();
    assert_int_equal(flushes, 2);
    assert_true(packets_have_all_left());
    assert_int_equal(flushes, 2);
}

/* A number of its own for each packet that was taken, and none for one that was not. */
static void only_what_is_taken_is_counted(void **state)
{
    (void)state;
    assert_true(send_to(&one));
    refuses = true;
    assert_false(send_to(&one));
    refuses = false;
    leaves_at_once = true;
    assert_true(send_to(&one));
    assert_true(taken[0].head.proof == 100 && taken[1].head.proof == 101);
    assert_true(one.base.proof == 102);
    assert_int_equal(leave_all(&one), 1);
}

/* The packets of a round arrive together and are taken one by one, in order. */
static void arrivals_are_kept_in_order(void **state)
{
    struct wire packet[ARRIVALS], head;

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < ARRIVALS; i++) {
            packet[i] = (struct wire){
                .version = WIRE_VERSION, .kind = WIRE_MESSAGE, .job = (uint64_t)i, .message.kind = 1};
            assert_int_equal(arrive(NULL, NULL, 0, &packet[i], sizeof packet[i], &with_data), UCS_INPROGRESS);
        }
        for (int i = 0; i < ARRIVALS; i++) {
            assert_false(packets_are_none());
            assert_non_null(packets_receive(&head));
            assert_true(head.job == (uint64_t)i);
            packets_release();
        }
        assert_true(packets_are_none());
        assert_null(packets_receive(&head));
    }
    assert_int_equal(released, 2 * ARRIVALS);
    assert_int_equal(arrive(NULL, NULL, 0, packet, UCX_PACKET_MAX + 1, &with_data), UCS_OK); /* too long */
    assert_true(packets_are_none());
}

/* The poll that has taken a packet ends without a second look, and the next one looks. */
static void a_poll_looks_once(void **state)
{
    struct wire head;

    (void)state;
    for (int round = 1; round <= 3; round++) {
        looks_until = 0;
        assert_non_null(packets_receive(&head));
        packets_release();
        assert_null(packets_receive(&head));
        assert_int_equal(looks, round);
    }
    assert_null(packets_receive(&head));
    assert_int_equal(looks, 4);
}

/* While the bytes of a packet come, a poll goes on, but not for ever. */
static void a_poll_waits_for_the_end_of_a_packet(void **state)
{
    struct wire head;

    (void)state;
    looks_until = 5;
    assert_non_null(packets_receive(&head));
    assert_int_equal(looks, 6);
    packets_release();
    assert_null(packets_receive(&head));
    looks_until = 1000;
    assert_null(packets_receive(&head));
    assert_in_range(looks, 7, 100);
}

#define PACKETS(test) cmocka_unit_test_setup_teardown(test, packets_test_open, packets_test_close)

int main(void)
{
    const struct CMUnitTest tests[] = {PACKETS(each_peer_has_its_part_of_the_slots),
                                       PACKETS(packets_keep_their_places),
                                       PACKETS(a_lost_peers_packets_count_no_more),
                                       PACKETS(a_flush_follows_the_last_packets),
                                       PACKETS(only_what_is_taken_is_counted),
                                       PACKETS(arrivals_are_kept_in_order),
                                       PACKETS(a_poll_looks_once),
                                       PACKETS(a_poll_waits_for_the_end_of_a_packet)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
