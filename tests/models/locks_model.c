/* window locks: nobody is in the lock beside one who has it alone, what one has stored under it the next one sees, and who waits for
 * it is woken. Each thread is a process of a window of three ranks, whose locks are one control block. */
#include "win/passive.c" /* for passive_wait */

#include "boot/boot.h"
#include "net/shm/arena.h"
#include "net/shm/bell.h"
#include "p2p/lane.h"

#include "checker.h"

SHARED static struct arena_head head[THREADS]; /* by process: where it sleeps */
SHARED static struct win_control block;
SHARED static int inside; /* plain memory, under the lock; who shares it only reads */

/* Of each process: */
static struct peer peers_of_all[THREADS], *peers[THREADS];
static int processes[THREADS] = {0, 1, 2};
static struct comm comm = {.process = processes};
static struct win win = {.size = THREADS, .comm = &comm, .own_control = &block};
static poll_fn *poller;

struct boot boot;
struct lane lanes[NET_LANES];
struct peer **net_peers[NET_LANES];

bool net_survives(void)
{
    return false;
}

static void nudge(struct peer *peer)
{
    bell_nudge(&head[peer->process]);
}

static const struct transport transport = {.nudge = nudge};

struct peer *net_connect(int lane, int process)
{
    (void)lane;
    (void)process;
    return NULL;
}

void progress_add_poller(poll_fn *poll)
{
    poller = poll;
}

int progress_poll(void)
{
    return 0;
}

void progress_tell_threads(void)
{
}

/* A round of a wait that sleeps at once: it announces sleep and looks once more (progress.c, which models/progress has). */
void progress_wait_for(struct wait *w, enum wait_kind kind, const void *what, uint64_t detail)
{
    uint32_t seen = bell_prepare(&head[win.rank]);

    (void)w;
    (void)kind;
    (void)what;
    (void)detail;
    if (poller(true))
        bell_cancel(&head[win.rank]);
    else
        bell_sleep(&head[win.rank], seen, 0);
}

static void begin(void)
{
    static struct group group;

    model_has_membarrier(false); /* which would do the work of the orders beside it */
    comm.group = &group;
    boot.all_local = true;
    net_peers[0] = peers;
    for (int i = 0; i < THREADS; i++) {
        peers[i] = &peers_of_all[i];
        peers_of_all[i] = (struct peer){.process = i, .transport = &transport};
        bell_open(&head[i], false);
    }
}

static void open_window(void)
{
    win.rank = model_self();
    win.control = NULL;
}

static void take(bool is_exclusive)
{
    if (!control_try(&block, win.rank, is_exclusive))
        CHECK(passive_wait(&win, &block, is_exclusive) == MPI_SUCCESS);
}

static void alone(void)
{
    open_window();
    take(true);
    inside++;
    CHECK(inside == 1);
    inside--;
    control_release(&win, &block, win.rank, true);
}

static void shared(void)
{
    open_window();
    take(false);
    CHECK(inside == 0);
    control_release(&win, &block, win.rank, false);
}

/* Has it at the beginning, and takes it again, so that who waits is woken for nothing. */
static void begin_held(void)
{
    begin();
    CHECK(control_try(&block, 0, true));
}

static void held_and_alone(void)
{
    open_window();
    control_release(&win, &block, win.rank, true);
    alone();
}

static void free_at_the_end(void)
{
    CHECK(!atomic_load_explicit(&block.lock, memory_order_relaxed));
}

const struct scenario scenarios[] = {
    {"two alone", begin, {alone, alone}, free_at_the_end, .switches = 2, .processes = true},
    {"one alone, one shared", begin, {alone, shared}, free_at_the_end, .switches = 2, .processes = true},
    {"it is taken again, one shared",
     begin_held,
     {held_and_alone, shared},
     free_at_the_end,
     .switches = 3,
     .processes = true},
    {"two alone, one shared",
     begin,
     {alone, alone, shared},
     free_at_the_end,
     .switches = 1,
     .processes = true},
    {0}};
const char *const weakened_files[] = {"win/control.c", "win/passive.c", NULL};
#define OF_PROGRAM "orders the program's own loads and stores, which are not here"
const struct spare spares[] = {{"passive.c", "win_sync", "fence", OF_PROGRAM},
                               {"passive.c", "win_unlock_all", "fence", OF_PROGRAM},
                               {"passive.c", "win_unlock", "fence", OF_PROGRAM},
                               {0}};
