/* mailboxes: what a rank has published comes to the others whole and in order, although the lines and segments are used again and
 * again; who sleeps is woken. Each thread is a process of a communicator. */
#include "coll/shm/mailbox.h"

#include "coll/shm/host_tree.h"
#include "net/shm/arena.h"
#include "net/shm/bell.h"
#include "p2p/lane.h"
#include "p2p/lost.h"

#include "checker.h"

#include <string.h>

enum {
    LINES = 2,
    SEGMENTS = 2,
    SEGMENT = 2 * PAYLOAD_UNIT,
    OPERATIONS = 3,
    LONG = LINE_BYTES + 8, /* bytes that do not fit into a line */
    TAG = 0x12345
};

/* Room for a mailbox. */
struct room {
    struct mailbox head;
    struct mailbox_line line[LINES];
    unsigned char segment[SEGMENTS * SEGMENT];
};

SHARED static struct room room[THREADS];
SHARED static struct arena_head head[THREADS];
static bool publishes_long; /* the same in all processes */

/* Of each process: */
static struct peer peers[THREADS];
static _Alignas(
    64) unsigned char boxes_memory[sizeof(struct mailboxes) + THREADS * sizeof(struct mailbox_peer)];
static struct mailboxes *boxes = (struct mailboxes *)(void *)boxes_memory;
static struct comm comm;

struct lane lanes[NET_LANES];
_Atomic bool lost_any;
int group_job_size = THREADS;

bool net_survives(void)
{
    return false;
}

bool lost_ends_collectives(const struct comm *of)
{
    (void)of;
    return false;
}

static void nudge(struct peer *peer)
{
    bell_nudge(&head[peer->process]);
}

static const struct transport transport = {.nudge = nudge};

static void begin(bool has_membarrier)
{
    model_has_membarrier(has_membarrier);
    for (int r = 0; r < THREADS; r++) {
        peers[r] = (struct peer){.process = r, .transport = &transport};
        bell_open(&head[r], false);
    }
}

static void begin_short(void)
{
    begin(true);
}

static void begin_long(void)
{
    begin(true);
    publishes_long = true;
}

static void begin_fences(void)
{
    begin(false);
}

static void open_boxes(int ranks)
{
    boxes->comm = &comm;
    boxes->rank = model_self();
    boxes->size = ranks;
    boxes->shape = (struct mailbox_shape){LINES, SEGMENTS, SEGMENT};
    boxes->mine = &room[boxes->rank].head;
    for (int r = 0; r < ranks; r++) {
        boxes->peer[r].mailbox = &room[r].head;
        if (r != boxes->rank) {
            boxes->peer[r].peer = &peers[r];
            boxes->peer[r].attention = &head[r].attention;
        }
    }
}

static size_t bytes_now(void)
{
    return publishes_long ? LONG : 8;
}

static void publish(uint64_t number)
{
    unsigned char *place;

    AWAIT((place = mailbox_reserve(boxes, number, bytes_now(), number, true)) != NULL);
    memset(place, (int)(number * 16) + boxes->rank, bytes_now());
    mailbox_publish(boxes, number, place, bytes_now(), TAG);
    mailbox_wake(boxes, 0, boxes->size - 1);
}

static void check_line(int rank, uint64_t number)
{
    const unsigned char *data = mailbox_data(boxes, rank, number);

    CHECK(mailbox_line(boxes, rank, number)->head.bytes == bytes_now());
    CHECK(mailbox_tag(mailbox_line(boxes, rank, number)) == TAG);
    for (size_t i = 0; i < bytes_now(); i++)
        CHECK(data[i] == (unsigned char)(number * 16 + (uint64_t)rank));
}

/* The root runs ahead as far as there are lines. */
static void root(void)
{
    open_boxes(2);
    for (uint64_t n = 1; n <= OPERATIONS; n++) {
        publish(n);
        mailbox_end(boxes, n);
    }
}

static void leaf(void)
{
    open_boxes(2);
    for (uint64_t n = 1; n <= OPERATIONS; n++) {
        AWAIT(mailbox_poll(boxes, 0, n));
        check_line(0, n);
        mailbox_end(boxes, n);
    }
}

/* Each reads what the other has. */
static void exchange(void)
{
    open_boxes(2);
    for (uint64_t n = 1; n <= OPERATIONS; n++) {
        publish(n);
        AWAIT(mailbox_poll(boxes, 1 - boxes->rank, n));
        check_line(1 - boxes->rank, n);
        mailbox_end(boxes, n);
    }
}

/* One leaves the operation without a line; the other sees that, once it sees that the operation is over there. */
static void leave_one(void)
{
    open_boxes(2);
    mailbox_leave(boxes, 1);
    mailbox_end(boxes, 1);
}

static void be_left(void)
{
    open_boxes(2);
    AWAIT(mailbox_is_past(boxes, 0, 1));
    CHECK(mailbox_has_left(boxes, 0, 1));
}

static void wake_leaf(void)
{
    open_boxes(2);
    publish(1);
}

static void sleep_until_published(void)
{
    open_boxes(2);
    while (!mailbox_poll(boxes, 0, 1)) {
        uint32_t seen = bell_prepare(&head[boxes->rank]);

        if (mailbox_poll(boxes, 0, 1)) {
            bell_cancel(&head[boxes->rank]);
            break;
        }
        bell_sleep(&head[boxes->rank], seen, 0);
    }
    check_line(0, 1);
}

const struct scenario scenarios[] = {
    {"a root runs ahead, lines", begin_short, {root, leaf}, .processes = true},
    {"a root runs ahead, segments", begin_long, {root, leaf}, .processes = true},
    {"two exchange, lines", begin_short, {exchange, exchange}, .processes = true},
    {"two exchange, segments", begin_long, {exchange, exchange}, .processes = true},
    {"one leaves", begin_short, {leave_one, be_left}, .processes = true},
    {"one sleeps, membarrier", begin_short, {wake_leaf, sleep_until_published}, .processes = true},
    {"one sleeps, fences", begin_fences, {wake_leaf, sleep_until_published}, .processes = true},
    {0}};
const char *const weakened_files[] = {"coll/shm/mailbox.", NULL};
const struct spare spares[] = {{0}};
