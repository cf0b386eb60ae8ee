/* window words: what a target has stored before MPI_Win_post its origin sees, what the origin has stored before MPI_Win_complete the
 * target sees, and who waits for either is woken. Each thread is a process: 0 the target, 1 the origin. */
#include "progress/progress.c" /* for `shared_until`: waits sleep at once */

#include "boot/boot.h"
#include "net/shm/arena.h"
#include "net/shm/bell.h"
#include "p2p/lane.h"
#include "win/control.h"
#include "win/epoch.h"

#include "checker.h"

enum {
    TARGET,
    ORIGIN,
    RANKS
};

SHARED static struct arena_head head[RANKS]; /* by process: where it sleeps */
SHARED static struct win_control blocks[RANKS];
SHARED static int memory; /* the target's window */

/* Of each process: */
static struct peer peers_of_all[RANKS], *peers[RANKS] = {&peers_of_all[0], &peers_of_all[1]};
static int processes[RANKS] = {0, 1};
static struct group group;
static struct comm comm = {.process = processes, .group = &group};
static struct win win = {
    .size = RANKS, .comm = &comm, .control = blocks, .controls = RANKS, .is_shared = true};
static _Alignas(16) unsigned char partners_memory[sizeof(struct partners) + sizeof(struct epoch_partner)];
static struct partners *partners = (struct partners *)(void *)partners_memory;

struct boot boot = {.all_local = true};
struct lane lanes[NET_LANES];
struct peer **net_peers[NET_LANES];
struct peer *net_connect(int lane, int process)
{
    (void)lane;
    (void)process;
    return NULL;
}

bool net_survives(void)
{
    return false;
}

static void nudge(struct peer *peer)
{
    bell_nudge(&head[peer->process]);
}

static const struct transport transport = {.nudge = nudge};

static uint32_t prepare(void)
{
    return bell_prepare(&head[win.rank]);
}

static void sleep_until(uint32_t seen, uint64_t most_ns)
{
    bell_sleep(&head[win.rank], seen, most_ns);
}

static void cancel(void)
{
    bell_cancel(&head[win.rank]);
}

static void wake(void)
{
    bell_wake_threads(&head[win.rank]);
}

static const struct sleeper sleeper_of_bell = {NULL, prepare, sleep_until, cancel, wake};

static void begin(bool has_membarrier)
{
    model_has_membarrier(has_membarrier);
    net_peers[0] = peers;
    for (int i = 0; i < RANKS; i++) {
        peers_of_all[i] = (struct peer){.process = i, .transport = &transport};
        bell_open(&head[i], false);
    }
    progress_set_sleeper(&sleeper_of_bell);
    progress_set_crowd(2, 1);
    share_core(0, UINT64_MAX);
}

static void begin_with_membarrier(void)
{
    begin(true);
}

static void begin_with_fences(void)
{
    begin(false);
}

static void open_window(int other)
{
    win.rank = model_self();
    win.own_control = &blocks[win.rank];
    partners->count = 1;
    partners->partner[0].rank = other;
    CHECK(epoch_open_table(&win) == MPI_SUCCESS);
}

static void expose(int value)
{
    memory = value;
    CHECK(partners_tell(&win, partners, WIN_TAG_POST) == MPI_SUCCESS);
    CHECK(partners_await_completes(&win, partners) == MPI_SUCCESS);
    CHECK(memory == value + 1);
}

static void use(int value)
{
    partners->partner[0].is_awaited = true;
    partners_open(&win, partners);
    CHECK(partners_await_posts(&win, partners) == MPI_SUCCESS);
    CHECK(memory == value);
    memory = value + 1;
    epoch_set(&win, TARGET, 0);
    CHECK(partners_tell(&win, partners, WIN_TAG_COMPLETE) == MPI_SUCCESS);
}

static void target(void)
{
    open_window(ORIGIN);
    expose(1);
}

static void origin(void)
{
    open_window(TARGET);
    use(1);
}

static void target_twice(void)
{
    target();
    expose(3);
}

static void origin_twice(void)
{
    origin();
    use(3);
}

const struct scenario scenarios[] = {
    {"an epoch, membarrier", begin_with_membarrier, {target, origin}, .switches = 1, .processes = true},
    {"an epoch, fences", begin_with_fences, {target, origin}, .switches = 1, .processes = true},
    {"two epochs", begin_with_fences, {target_twice, origin_twice}, .switches = 1, .processes = true},
    {0}};
const char *const weakened_files[] = {"win/partners.c", NULL};
#define BESIDE_MESSAGES "orders the program's own loads and stores, which are not here, with messages"
const struct spare spares[] = {{"partners.c", "await_messages", "fence", BESIDE_MESSAGES},
                               {"partners.c", "partners_tell", "fence", BESIDE_MESSAGES},
                               {0}};
