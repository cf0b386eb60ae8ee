/* What a process takes out of its rings: of more senders than it watches at once, and what lies in a chunk. */
#include "net/shm/watch.h"

#include "boot/boot.h"
#include "net/shm/staging.h"
#include "plain/memfd.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SENDERS = WATCH_LIMIT + 16,
    MOST = 3, /* messages of one sender */
    RING = 1 << 14
};

static struct arena_plan plan = {.local_size = SENDERS, .ring_size = RING, .staging_size = STAGING_MOST};
static struct host_page *page;
static struct arena mine, of_sender[SENDERS];
static struct ring writer[SENDERS];
static struct staging staging;
static struct watcher watcher;
static struct peer peer[SENDERS], *peers[SENDERS];

static void open_sender(int slot)
{
    struct arena *a = &of_sender[slot];

    assert_int_equal(arena_connect(&plan, 0, 0, slot, a), 0);
    ring_init(&writer[slot], a->rings, RING, a->control);
    peer[slot].process = slot;
    peers[slot] = &peer[slot];
}

static int open_all(void **state)
{
    (void)state;
    boot.size = boot.local_size = SENDERS;
    net_peers[0] = peers;
    plan.fd = memfd_open(1 << 20);
    page = plan.fd < 0 ? NULL : host_page_open(plan.fd, SENDERS, &plan.stride);
    if (!page || arena_open(&plan, 0, 1, 0, &mine))
        return -1;
    bell_open(mine.head, false);
    staging_init(&staging, mine.staging, &mine.head->staging_busy, plan.staging_size);
    for (int slot = 0; slot < SENDERS; slot++)
        open_sender(slot);
    return watch_open(&watcher, &plan, 0, &mine, mine.head, &staging);
}

static int close_all(void **state)
{
    (void)state;
    watch_close(&watcher);
    for (int slot = 0; slot < SENDERS; slot++)
        arena_close(&of_sender[slot]);
    host_page_close(page);
    net_peers[0] = NULL;
    return close(plan.fd);
}

static void send_one(int slot, uint8_t kind, const void *payload, uint32_t length)
{
    struct message m = {.length = length, .kind = kind, .source = slot};

    assert_true(ring_write(&writer[slot], &m, payload));
    bell_ring(of_sender[slot].head, of_sender[slot].lane, of_sender[slot].control, slot);
}

static int sent_by(int slot)
{
    return 1 + slot % MOST;
}

/* Takes everything that is there, and returns how many messages it was. */
static int take_all(void)
{
    struct arrival a;
    int count = 0;

    for (int idle = 0; idle < 2; idle++) {
        while (watch_poll(&watcher, &a)) {
            assert_ptr_equal(a.from, &peer[a.message->source]);
            assert_int_equal(*(const int *)a.payload, a.message->source);
            watch_release(&watcher);
            count++;
            idle = 0;
        }
    }
    return count;
}

/* Rings that are idle make room for others, and are watched again when they ring. */
static void more_senders_than_are_watched(void **state)
{
    int total = 0;

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int slot = 0; slot < SENDERS; slot++) {
            for (int i = 0; i < sent_by(slot); i++, total++)
                send_one(slot, 1, &slot, sizeof slot);
            total -= take_all();
        }
        assert_int_equal(total, 0);
        for (int slot = 0; slot < SENDERS; slot++)
            assert_int_equal(watch_taken(&watcher, slot), (round + 1) * sent_by(slot));
    }
}

static void all_is_released_when_nothing_waits(void **state)
{
    int slot = 5;

    (void)state;
    assert_true(watch_has_all(&watcher, slot));
    send_one(slot, 1, &slot, sizeof slot);
    assert_false(watch_has_all(&watcher, slot));
    assert_int_equal(take_all(), 1);
    assert_true(watch_has_all(&watcher, slot));
}

/* A message that names a chunk has what lies there, and gives it back. One that names none is empty. */
static void what_lies_in_a_chunk(void **state)
{
    const char text[] = "in a chunk";
    struct staged staged;
    struct arrival a;

    (void)state;
    assert_true(staging_fill(&staging, text, sizeof text, &staged));
    send_one(1, 1 | WATCH_STAGED, &staged, sizeof staged);
    assert_true(watch_poll(&watcher, &a));
    assert_int_equal(a.message->kind, 1);
    assert_int_equal(a.message->length, sizeof text);
    assert_memory_equal(a.payload, text, sizeof text);
    assert_true(mine.head->staging_busy);
    watch_release(&watcher);
    assert_false(mine.head->staging_busy);

    staged.chunk = staging.chunks;
    send_one(1, 1 | WATCH_STAGED, &staged, sizeof staged);
    assert_true(watch_poll(&watcher, &a));
    assert_int_equal(a.message->length, 0);
    assert_null(a.payload);
    watch_release(&watcher);
    assert_false(watch_poll(&watcher, &a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_senders_than_are_watched),
        cmocka_unit_test(all_is_released_when_nothing_waits),
        cmocka_unit_test(what_lies_in_a_chunk),
    };

    return cmocka_run_group_tests(tests, open_all, close_all);
}
