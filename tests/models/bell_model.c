/* bell and watch: a receiver that sleeps, or does not poll a ring, learns of each message, and of each word that is stored for it.
 *
 * Thread 0 is the receiver's process, the others are senders' processes. */
#include "net/shm/watch.c" /* for unwatch_silent, which else takes WATCH_LIMIT rings */

#include "checker.h"

enum {
    RING = 512,
    SENDERS = 2,
    APART = 64, /* slots from one sender to the next: their bits lie in different words of the doorbell */
    SLOTS = APART + 1
};

struct boot boot = {.local_size = SLOTS};
struct peer **net_peers[NET_LANES];

static struct peer peer[SENDERS], *peers[SLOTS] = {[0] = &peer[0], [APART] = &peer[1]};
static const struct arena_plan plan = {.local_size = SLOTS, .ring_size = RING};
static _Alignas(RING_CELL) unsigned char rings[SLOTS * RING];
static struct arena_head head;
static struct lane_head lane;
static struct ring_control control[SLOTS];
static struct watcher watcher;
static _Atomic int word;
static unsigned expected;

/* Processes of other jobs do not occur here. */
struct peer *net_connect(int of_lane, int process)
{
    (void)of_lane;
    (void)process;
    return NULL;
}

bool attach_guest(int slot, struct card *card)
{
    (void)slot;
    (void)card;
    return false;
}

int card_number(const struct card *card)
{
    (void)card;
    return -1;
}

int arena_slots(const struct arena_plan *of, int number)
{
    (void)number;
    return of->local_size;
}

void arena_close(struct arena *arena)
{
    (void)arena;
}

void *arena_map_guest(const struct arena_plan *of, int local_rank, int slot)
{
    (void)of;
    (void)local_rank;
    (void)slot;
    return NULL;
}

void arena_clear_guest(const struct arena_plan *of, int local_rank, const struct arena *mine, int slot,
                       void *ring)
{
    (void)of;
    (void)local_rank;
    (void)mine;
    (void)slot;
    (void)ring;
}

static void begin(bool has_membarrier, unsigned messages)
{
    struct arena arena = {.head = &head, .lane = &lane, .control = control, .rings = rings};

    model_has_membarrier(has_membarrier);
    net_peers[0] = peers;
    expected = messages;
    bell_open(&head, false);
    watch_open(&watcher, &plan, 0, &arena, &head, NULL);
}

static void send(unsigned messages)
{
    int slot = (model_self() - 1) * APART;
    struct ring writer;

    ring_init(&writer, rings + (size_t)slot * RING, RING, &control[slot]);
    for (unsigned n = 0; n < messages; n++) {
        struct message m = {.length = 8, .kind = 1, .context = n, .source = slot};
        uint64_t payload = n + 1;

        CHECK(ring_write(&writer, &m, &payload));
        bell_ring(&head, &lane, &control[slot], slot);
    }
}

static bool take(void)
{
    static uint64_t next[SLOTS];
    struct arrival a;

    if (!watch_poll(&watcher, &a))
        return false;
    CHECK(a.message->context == next[a.message->source]++);
    watch_release(&watcher);
    return true;
}

/* As progress.c does: announces sleep, looks once more, sleeps. */
static void receive(void)
{
    for (unsigned taken = 0; taken < expected; taken++)
        while (!take()) {
            uint32_t seen = bell_prepare(&head);

            if (take()) {
                bell_cancel(&head);
                break;
            }
            bell_sleep(&head, seen, 0);
        }
}

/* The receiver has been polling the rings. */
static void begin_watched(bool has_membarrier, unsigned messages)
{
    begin(has_membarrier, messages);
    for (int slot = 0; slot < SLOTS; slot += APART)
        watch_ring(&watcher, slot);
}

static void begin_1m(void)
{
    begin(true, 1);
}

static void begin_1f(void)
{
    begin(false, 1);
}

static void begin_2m(void)
{
    begin(true, 2);
}

static void begin_2f(void)
{
    begin(false, 2);
}

static void begin_watched_m(void)
{
    begin_watched(true, 1);
}

static void begin_watched_f(void)
{
    begin_watched(false, 1);
}

static void send_one(void)
{
    send(1);
}

static void send_two(void)
{
    send(2);
}

/* Two polls, between which the receiver stops watching. */
static void receive_and_drop(void)
{
    bool has_one = take();

    unwatch_silent(&watcher, 0);
    expected -= has_one;
    receive();
}

static void nudge(void)
{
    atomic_store_explicit(&word, 1, memory_order_release);
    bell_nudge(&head);
}

static void await_word(void)
{
    while (!atomic_load_explicit(&word, memory_order_acquire)) {
        uint32_t seen = bell_prepare(&head);

        if (atomic_load_explicit(&word, memory_order_acquire))
            bell_cancel(&head);
        else
            bell_sleep(&head, seen, 0);
    }
}

const struct scenario scenarios[] = {
    {"the first message, membarrier", begin_1m, {receive, send_one}},
    {"the first message, fences", begin_1f, {receive, send_one}},
    {"a later message, membarrier", begin_watched_m, {receive, send_one}},
    {"a later message, fences", begin_watched_f, {receive, send_one}},
    {"a ring is dropped, membarrier", begin_watched_m, {receive_and_drop, send_one}},
    {"a ring is dropped, fences", begin_watched_f, {receive_and_drop, send_one}},
    {"a word, membarrier", begin_1m, {await_word, nudge}},
    {"a word, fences", begin_1f, {await_word, nudge}},
    {"two messages, membarrier", begin_2m, {receive, send_two}, .switches = 1},
    {"two messages, fences", begin_2f, {receive, send_two}, .switches = 1},
    {"two senders, membarrier", begin_2m, {receive, send_one, send_one}, .switches = 1},
    {"two senders, fences", begin_2f, {receive, send_one, send_one}, .switches = 1},
    {0}};
const char *const weakened_files[] = {"net/shm/bell.", "net/shm/watch.c", NULL};
const struct spare spares[] = {
    {"bell.c", "bell_prepare", "set bits of &head->attention",
     "keeps an earlier load before it: the checker delays none"},
    {"bell.c", "bell_wake_one", "add to &head->bell", "its partner is that load"},
    {"bell.c", "bell_wake_threads", "add to &head->bell", "the model of progress has it"},
    {0}};
