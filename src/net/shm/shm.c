/* shm: the transport between processes of one host. See ring.h, staging.h, arena.h, bell.h, watch.h, cma.h.
 */
#include "base/fail.h"
#include "base/lock.h"
#include "boot/boot.h"
#include "hint/hint.h"
#include "memory/heap.h"
#include "net/net.h"
#include "net/shm/arena.h"
#include "net/shm/bell.h"
#include "net/shm/cma.h"
#include "net/shm/share.h"
#include "net/shm/watch.h"
#include "progress/progress.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum cma_state {
    CMA_UNTRIED,
    CMA_WORKS,
    CMA_REFUSED
};

/* The way to a process, which all its peers share; made by the first of them. */
struct way {
    int local_rank;
    struct arena arena;     /* its lane 0 */
    struct staging staging; /* the process's */
    _Atomic uint64_t heap;  /* where it has its heap; 0: not known yet */
    struct heap_view view;  /* the heap as this process sees it */
    _Atomic int cma;        /* enum cma_state; release when pid is set, acquire */
    _Atomic int32_t pid;    /* valid when CMA_WORKS */
};

/* The way to a peer: one lane of a process. */
struct link_to {
    struct ring ring;
    struct arena arena;      /* the lane; of lane 0, the way's */
    struct arena_head *head; /* the way's */
    struct way *way;
};

static int memory_fd = -1;
static struct arena_plan plan; /* of the host */
static struct watcher watchers[NET_LANES];
static struct arena_head *mine; /* NULL: this transport is not open */
static struct host_board *board;
static _Atomic bool all_present; /* all local processes have added their cores to the board */
static size_t heap_size;         /* of every heap of this host, used or not */
static size_t ring_max;          /* the longest payload of a ring */
static size_t staging_size;      /* of every staging area */
static struct staging staging;   /* my own */
static struct transport_limits limits;
static struct lock ways_lock = LOCK_INIT; /* guards `ways` */
static struct way **ways;                 /* by local rank; NULL: not used yet */

/* -1: not on this host. */
static int local_rank_of(int process)
{
    if (!boot.local)
        return process < boot.local_size ? process : -1;
    for (int i = 0; i < boot.local_size; i++)
        if (boot.local[i] == process)
            return i;
    return -1;
}

/* Tells the others of this host which cores this process may run on. */
static void add_cores(void)
{
    cpu_set_t cores;

    if (sched_getaffinity(0, sizeof cores, &cores) == 0)
        for (int core = 0; core < CPU_SETSIZE && core < HOST_CORE_WORDS * 64; core++)
            if (CPU_ISSET(core, &cores))
                atomic_fetch_or_explicit(&board->cores[core / 64], (uint64_t)1 << core % 64,
                                         memory_order_relaxed);
    /* release: the cores are visible to who counts this process (acquire in look_around) */
    atomic_fetch_add_explicit(&board->present, 1, memory_order_release);
}

/* How many cores the processes of this host have between them, as far as they have said so. */
static void look_around(void)
{
    int cores = 0;

    if (atomic_load_explicit(&all_present, memory_order_relaxed) ||
        atomic_load_explicit(&board->present, memory_order_acquire) < boot.local_size)
        return;
    atomic_store_explicit(&all_present, true, memory_order_relaxed);
    for (int i = 0; i < HOST_CORE_WORDS; i++)
        cores += __builtin_popcountll(atomic_load_explicit(&board->cores[i], memory_order_relaxed));
    progress_set_crowd(boot.local_size, cores);
}

static uint32_t sleep_prepare(void)
{
    look_around();
    return bell_prepare(mine);
}

static void sleep_sleep(uint32_t seen)
{
    bell_sleep(mine, seen);
}

static void sleep_cancel(void)
{
    bell_cancel(mine);
}

static void sleep_wake(void)
{
    bell_wake_threads(mine);
}

static const struct sleeper sleeper = {sleep_prepare, sleep_sleep, sleep_cancel, sleep_wake};

/* Rings are powers of two; the row may be anything. */
static size_t ring_size_wanted(void)
{
    size_t size = RING_SIZE_MIN;

    while (size * 2 <= (size_t)hint_process.value[HINT_RING_SIZE])
        size *= 2;
    return size;
}

static void close_memory(void)
{
    heap_close();
    for (int lane = 0; lane < NET_LANES; lane++)
        watch_close(&watchers[lane]);
    mine = NULL;
    if (board)
        board_close(board);
    board = NULL;
    free(ways);
    ways = NULL;
    if (memory_fd >= 0 && memory_fd != boot.local_fd)
        close(memory_fd);
    memory_fd = -1;
}

static int open_memory(void)
{
    int error;

    board = board_open(memory_fd, boot.local_size);
    if (!board)
        return MPI_ERR_NO_MEM;
    plan = (struct arena_plan){.fd = memory_fd, .local_size = boot.local_size};
    plan.ring_size = board_settle(&board->ring_size, ring_size_wanted());
    staging_size = board_settle(&board->staging_size, (size_t)hint_process.value[HINT_STAGING_SIZE]);
    ways = calloc((size_t)boot.local_size, sizeof *ways);
    if (!ways)
        return fail(MPI_ERR_NO_MEM, "no memory for the ways to %d processes", boot.local_size);
    error = watch_open(&watchers[0], &plan, 0, NULL, &staging);
    if (error)
        return error;
    mine = watchers[0].head;
    staging_init(&staging, watchers[0].arena.staging, &mine->staging_busy, staging_size);
    return MPI_SUCCESS;
}

static int shm_open(void)
{
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int error;

    if (boot.local_size == 1)
        return MPI_SUCCESS;
    if (boot.local_size > ARENA_LOCAL_MAX)
        return fail(MPI_ERR_OTHER, "%d processes on one host are more than %d", boot.local_size,
                    ARENA_LOCAL_MAX);
    memory_fd = boot.local_fd >= 0
                    ? boot.local_fd
                    : share_memory(boot.job, boot.local_rank, boot.local_size,
                                   (size_t)boot.local_size * (size_t)boot.local_size * ring_size_wanted());
    if (memory_fd < 0)
        return MPI_ERR_OTHER;
    error = open_memory();
    if (error) {
        close_memory();
        return error;
    }
    add_cores();
    heap_size = arena_heap_size(&plan);
    heap_open(memory_fd, arena_heap_place(&plan, boot.local_rank), heap_size, &mine->heap);
    ring_max = ring_message_max(plan.ring_size);
    limits.message_best = staging.chunk_size;
    limits.message_max = ring_max > staging.chunk_size ? ring_max : staging.chunk_size;
    cma_open(mine);
    bell_open(mine, boot.local_size > cores);
    progress_set_sleeper(&sleeper);
    return MPI_SUCCESS;
}

static int shm_open_lanes(void)
{
    int error = MPI_SUCCESS;

    if (!mine)
        return MPI_SUCCESS;
    if (!arena_has_lanes(&plan))
        return fail(MPI_ERR_NO_MEM, "no room for more rings in the shared memory");
    for (int lane = 1; !error && lane < NET_LANES; lane++)
        error = watch_open(&watchers[lane], &plan, lane, mine, &staging);
    return error;
}

static void close_link(struct peer *peer)
{
    struct link_to *l = peer->link;

    board_clear(peer->mine);
    if (peer->lane)
        arena_close(&l->arena);
    free(l);
}

static void close_way(struct way *way)
{
    if (!way)
        return;
    heap_view_close(&way->view);
    arena_close(&way->arena);
    free(way);
}

static void shm_close(void)
{
    progress_set_sleeper(NULL);
    for (int lane = 0; lane < NET_LANES; lane++)
        for (int i = 0; net_peers[lane] && i < boot.size; i++)
            if (net_peers[lane][i] && net_peers[lane][i]->transport == &shm_transport)
                close_link(net_peers[lane][i]);
    for (int i = 0; ways && i < boot.local_size; i++)
        close_way(ways[i]);
    close_memory();
}

static bool shm_reaches(int process)
{
    return boot.local_size > 1 && local_rank_of(process) >= 0;
}

/* The way's head and staging area are mapped with lane 0. */
static int way_new(int local_rank, struct way **way)
{
    struct way *w = calloc(1, sizeof *w);
    int error;

    if (!w)
        return fail(MPI_ERR_NO_MEM, "no memory for the way to a process");
    error = arena_connect(&plan, 0, local_rank, boot.local_rank, &w->arena);
    if (error) {
        free(w);
        return error;
    }
    w->local_rank = local_rank;
    w->view =
        (struct heap_view){.fd = memory_fd, .place = arena_heap_place(&plan, local_rank), .size = heap_size};
    staging_init(&w->staging, w->arena.staging, &w->arena.head->staging_busy, staging_size);
    *way = w;
    return MPI_SUCCESS;
}

static int find_way(int local_rank, struct way **way)
{
    int error = MPI_SUCCESS;

    lock_take(&ways_lock);
    if (!ways[local_rank])
        error = way_new(local_rank, &ways[local_rank]);
    *way = ways[local_rank];
    lock_release(&ways_lock);
    return error;
}

/* Maps the peer's lane; lane 0 has come with the way. */
static int map_lane(struct link_to *l, int lane)
{
    if (lane)
        return arena_connect(&plan, lane, l->way->local_rank, boot.local_rank, &l->arena);
    l->arena = l->way->arena;
    return MPI_SUCCESS;
}

static int shm_connect(struct peer *peer)
{
    int local_rank = local_rank_of(peer->process);
    struct link_to *l = calloc(1, sizeof *l);
    int error;

    if (!l)
        return fail(MPI_ERR_NO_MEM, "no memory for the link to process %d", peer->process);
    error = find_way(local_rank, &l->way);
    if (!error)
        error = map_lane(l, peer->lane);
    if (error) {
        free(l);
        return error;
    }
    ring_init(&l->ring, l->arena.rings, plan.ring_size, l->arena.control);
    l->head = l->way->arena.head;
    peer->link = l;
    peer->mine = &watchers[peer->lane].arena.board[local_rank];
    peer->theirs = l->arena.board;
    return MPI_SUCCESS;
}

static const struct transport_limits *shm_limits(void)
{
    return &limits;
}

/* For payloads that are too long for the ring. */
static bool write_staged(struct link_to *l, const struct message *message, const void *payload)
{
    struct message m = *message;
    struct staged staged;

    if (!staging_fill(&l->way->staging, payload, message->length, &staged))
        return false;
    m.kind |= WATCH_STAGED;
    m.length = sizeof staged;
    if (ring_write(&l->ring, &m, &staged))
        return true;
    staging_give(&l->way->staging, staged.chunk);
    return false;
}

static bool shm_send(struct peer *peer, const struct message *message, const void *payload)
{
    struct link_to *l = peer->link;

    if (message->length <= ring_max ? !ring_write(&l->ring, message, payload)
                                    : !write_staged(l, message, payload))
        return false;
    bell_tell(l->head, l->arena.lane, l->ring.control, boot.local_rank);
    return true;
}

static bool shm_poll(int lane, struct arrival *arrival)
{
    return watch_poll(&watchers[lane], arrival);
}

static void shm_release(int lane)
{
    watch_release(&watchers[lane]);
}

static uint64_t shm_sent(struct peer *peer)
{
    return ((struct link_to *)peer->link)->ring.cell;
}

static uint64_t shm_taken(struct peer *peer)
{
    return watch_taken(&watchers[peer->lane], ((struct link_to *)peer->link)->way->local_rank);
}

static void *shm_map(struct peer *peer, uint64_t address, size_t bytes)
{
    struct way *way = ((struct link_to *)peer->link)->way;
    uint64_t heap = atomic_load_explicit(&way->heap, memory_order_relaxed), offset;

    if (!heap) { /* acquire: pairs with the release in heap.c */
        heap = atomic_load_explicit(&way->arena.head->heap, memory_order_acquire);
        atomic_store_explicit(&way->heap, heap, memory_order_relaxed);
    }
    offset = address - heap;
    if (!heap || offset >= way->view.size || bytes > way->view.size - offset)
        return NULL;
    return heap_view_at(&way->view, offset, bytes);
}

static void shm_nudge(struct peer *peer)
{
    bell_nudge(((struct link_to *)peer->link)->head);
}

/* Threads that try at once find the same. */
static bool cma_may_be_used(struct way *way)
{
    int state = atomic_load_explicit(&way->cma, memory_order_acquire);

    if (state == CMA_UNTRIED) {
        state = hint_process.value[HINT_CMA] && cma_works(way->arena.head) ? CMA_WORKS : CMA_REFUSED;
        atomic_store_explicit(&way->pid, atomic_load_explicit(&way->arena.head->pid, memory_order_relaxed),
                              memory_order_relaxed);
        atomic_store_explicit(&way->cma, state, memory_order_release); /* pairs with the acquire above */
    }
    return state == CMA_WORKS;
}

static int shm_get(struct peer *peer, void *to, uint64_t address, size_t bytes)
{
    struct way *way = ((struct link_to *)peer->link)->way;

    if (!cma_may_be_used(way))
        return MPI_ERR_UNSUPPORTED_OPERATION;
    return cma_read(atomic_load_explicit(&way->pid, memory_order_relaxed), to, address, bytes);
}

static int shm_put(struct peer *peer, const void *from, uint64_t address, size_t bytes)
{
    struct way *way = ((struct link_to *)peer->link)->way;

    if (!cma_may_be_used(way))
        return MPI_ERR_UNSUPPORTED_OPERATION;
    return cma_write(atomic_load_explicit(&way->pid, memory_order_relaxed), from, address, bytes);
}

static void *shm_line(struct peer *peer, bool incoming)
{
    struct link_to *l = peer->link;

    return incoming ? watchers[peer->lane].arena.control[l->way->local_rank].line : l->ring.control->line;
}

const struct transport shm_transport = {
    .name = "shm",
    .open = shm_open,
    .close = shm_close,
    .reaches = shm_reaches,
    .open_lanes = shm_open_lanes,
    .connect = shm_connect,
    .limits = shm_limits,
    .send = shm_send,
    .poll = shm_poll,
    .release = shm_release,
    .sent = shm_sent,
    .taken = shm_taken,
    .map = shm_map,
    .get = shm_get,
    .put = shm_put,
    .nudge = shm_nudge,
    .line = shm_line,
};
