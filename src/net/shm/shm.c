/* shm: the transport between processes of one host. See ring.h, staging.h, arena.h, bell.h, cma.h. */
#include "base/fail.h"
#include "boot/boot.h"
#include "hint/hint.h"
#include "memory/heap.h"
#include "net/net.h"
#include "net/shm/arena.h"
#include "net/shm/bell.h"
#include "net/shm/cma.h"
#include "net/shm/share.h"
#include "progress/progress.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WATCH_LIMIT = 64,  /* rings polled at once; beyond it the idle ones wait for their doorbell again */
    IDLE_POLLS = 4096, /* polls without a message that make a ring idle */
    STAGED = 0x80      /* bit of a message's kind in the ring: its payload is a struct staged */
};

enum cma_state {
    CMA_UNTRIED,
    CMA_WORKS,
    CMA_REFUSED
};

/* The way to a peer. */
struct link_to {
    struct ring ring;
    struct arena arena;
    int local_rank;
    uint64_t heap;          /* where the peer has its heap; 0: not known yet */
    struct heap_view view;  /* the heap as this process sees it */
    struct staging staging; /* the peer's */
    enum cma_state cma;
    int32_t pid; /* valid when CMA_WORKS */
};

/* A ring that is polled. */
struct watch {
    struct ring ring;
    struct peer *from;
    uint64_t last_poll;    /* number of the poll that last found a message */
    struct message staged; /* the message that is out, if its payload lies in a chunk */
};

static int memory_fd = -1;
static struct arena mine;
static struct host_board *board;
static _Atomic bool all_present; /* all local processes have added their cores to the board */
static size_t ring_size;         /* of every ring of this host */
static size_t heap_size;         /* of every heap of this host, used or not */
static size_t ring_max;          /* the longest payload of a ring */
static size_t staging_size;      /* of every staging area */
static struct staging staging;   /* my own */
static struct transport_limits limits;
static struct ring *readers; /* by local rank; where each ring stands while it is not watched */
static struct watch watch[WATCH_LIMIT];
static int watch_count, watch_next;           /* watch_next: where the next poll begins */
static struct watch *arrived;                 /* where the arrival that is out came from ... */
static const struct message *arrived_message; /* ... and itself */
static uint64_t polls;

static int process_of(int local_rank)
{
    return boot.local ? boot.local[local_rank] : local_rank;
}

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
    return bell_prepare(mine.head);
}

static void sleep_sleep(uint32_t seen)
{
    bell_sleep(mine.head, seen);
}

static void sleep_cancel(void)
{
    bell_cancel(mine.head);
}

static void sleep_wake(void)
{
    bell_wake_threads(mine.head);
}

static const struct sleeper sleeper = {sleep_prepare, sleep_sleep, sleep_cancel, sleep_wake};

static int open_readers(void)
{
    readers = calloc((size_t)boot.local_size, sizeof *readers);
    if (!readers)
        return fail(MPI_ERR_NO_MEM, "no memory for %d rings", boot.local_size);
    for (int i = 0; i < boot.local_size; i++)
        ring_init(&readers[i], mine.rings + (size_t)i * ring_size, ring_size, &mine.control[i]);
    return MPI_SUCCESS;
}

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
    arena_close(&mine);
    if (board)
        board_close(board);
    board = NULL;
    free(readers);
    readers = NULL;
    watch_count = watch_next = 0;
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
    ring_size = board_settle(&board->ring_size, ring_size_wanted());
    staging_size = board_settle(&board->staging_size, (size_t)hint_process.value[HINT_STAGING_SIZE]);
    error = arena_open(memory_fd, boot.local_rank, boot.local_size, ring_size, &mine);
    if (error)
        return error;
    staging_init(&staging, mine.staging, &mine.head->staging_busy, staging_size);
    return open_readers();
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
                                   (size_t)boot.local_size * (size_t)boot.local_size * ring_size);
    if (memory_fd < 0)
        return MPI_ERR_OTHER;
    error = open_memory();
    if (error) {
        close_memory();
        return error;
    }
    add_cores();
    heap_size = arena_heap_size(boot.local_size, ring_size);
    heap_open(memory_fd, arena_heap_place(boot.local_rank, boot.local_size, ring_size), heap_size,
              &mine.head->heap);
    ring_max = ring_message_max(ring_size);
    limits.message_best = staging.chunk_size;
    limits.message_max = ring_max > staging.chunk_size ? ring_max : staging.chunk_size;
    cma_open(mine.head);
    bell_open(mine.head, boot.local_size > cores);
    progress_set_sleeper(&sleeper);
    return MPI_SUCCESS;
}

static void shm_close(void)
{
    progress_set_sleeper(NULL);
    for (int i = 0; net_peers && i < boot.size; i++) {
        struct link_to *l =
            net_peers[i] && net_peers[i]->transport == &shm_transport ? net_peers[i]->link : NULL;

        if (l) {
            board_clear(net_peers[i]->mine);
            arena_close(&l->arena);
            heap_view_close(&l->view);
        }
        free(l);
    }
    close_memory();
}

static bool shm_reaches(int process)
{
    return boot.local_size > 1 && local_rank_of(process) >= 0;
}

static int shm_connect(struct peer *peer)
{
    struct link_to *l = calloc(1, sizeof *l);
    int error;

    if (!l)
        return fail(MPI_ERR_NO_MEM, "no memory for the link to process %d", peer->process);
    l->local_rank = local_rank_of(peer->process);
    error = arena_connect(memory_fd, l->local_rank, boot.local_rank, boot.local_size, ring_size, &l->arena);
    if (error) {
        free(l);
        return error;
    }
    ring_init(&l->ring, l->arena.rings, ring_size, l->arena.control);
    l->view = (struct heap_view){
        .fd = memory_fd,
        .place = arena_heap_place(local_rank_of(peer->process), boot.local_size, ring_size),
        .size = heap_size};
    staging_init(&l->staging, l->arena.staging, &l->arena.head->staging_busy, staging_size);
    peer->link = l;
    peer->mine = &mine.board[local_rank_of(peer->process)];
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

    if (!staging_fill(&l->staging, payload, message->length, &staged))
        return false;
    m.kind |= STAGED;
    m.length = sizeof staged;
    if (ring_write(&l->ring, &m, &staged))
        return true;
    staging_give(&l->staging, staged.chunk);
    return false;
}

static bool shm_send(struct peer *peer, const struct message *message, const void *payload)
{
    struct link_to *l = peer->link;

    if (message->length <= ring_max ? !ring_write(&l->ring, message, payload)
                                    : !write_staged(l, message, payload))
        return false;
    bell_tell(l->arena.head, l->ring.control, boot.local_rank);
    return true;
}

/* Stops watching the rings that have been silent for so many polls. One that filled up meanwhile is watched
 * again.
 */
static void unwatch_silent(uint64_t silence)
{
    int kept = 0;
    bool ordered;

    for (int i = 0; i < watch_count; i++)
        if (polls - watch[i].last_poll > silence)
            atomic_store_explicit(&watch[i].ring.control->watched, 0, memory_order_relaxed);
    ordered = bell_order(mine.head);
    for (int i = 0; i < watch_count; i++) {
        struct watch *w = &watch[i];

        if (ordered && !atomic_load_explicit(&w->ring.control->watched, memory_order_relaxed) &&
            !ring_peek(&w->ring)) {
            readers[local_rank_of(w->from->process)] = w->ring;
            continue;
        }
        atomic_store_explicit(&w->ring.control->watched, 1, memory_order_relaxed);
        watch[kept++] = *w;
    }
    watch_count = kept;
    watch_next = 0;
}

/* Makes a place if any watched ring is empty now: who finds none has messages to take in, and will not go to
 * sleep over the ring that asks. */
static void make_place(void)
{
    for (uint64_t silence = IDLE_POLLS; watch_count == WATCH_LIMIT && silence; silence /= 16)
        unwatch_silent(silence - 1);
}

/* False when there is no place; the doorbell bit then stays for a later poll. */
static bool watch_ring(int local_rank)
{
    struct peer *from;

    if (atomic_load_explicit(&mine.control[local_rank].watched, memory_order_relaxed))
        return true;
    make_place();
    from = watch_count < WATCH_LIMIT ? net_peer(process_of(local_rank)) : NULL;
    if (!from)
        return false;
    watch[watch_count++] = (struct watch){.ring = readers[local_rank], .from = from, .last_poll = polls};
    atomic_store_explicit(&mine.control[local_rank].watched, 1, memory_order_relaxed);
    return true;
}

static void answer_word(int word)
{
    uint64_t bits = atomic_exchange_explicit(&mine.head->doorbell[word], 0, memory_order_acquire);

    while (bits) {
        int bit = __builtin_ctzll(bits);

        bits &= bits - 1;
        if (!watch_ring(word * 64 + bit)) {
            atomic_fetch_or_explicit(&mine.head->doorbell[word], (uint64_t)1 << bit, memory_order_relaxed);
            atomic_store_explicit(&mine.head->rung, 1, memory_order_relaxed);
        }
    }
}

static void answer_doorbell(void)
{
    /* acquire: pairs with the release in set_doorbell (bell.c); cleared before the bits are read */
    atomic_exchange_explicit(&mine.head->rung, 0, memory_order_acq_rel);
    for (int word = 0; word * 64 < boot.local_size; word++)
        answer_word(word);
}

/* What a staged message stands for; one that names no chunk is empty. */
static void open_staged(struct watch *w, struct arrival *a)
{
    struct staged staged;
    const void *payload;

    memcpy(&staged, a->payload, sizeof staged);
    payload = staging_payload(&staging, &staged);
    w->staged = *a->message;
    w->staged.kind &= (uint8_t)~STAGED;
    w->staged.length = payload ? staged.length : 0;
    *a = (struct arrival){&w->staged, payload, w->from};
}

static bool shm_poll(struct arrival *arrival)
{
    if (!mine.head)
        return false;
    polls++;
    if (atomic_load_explicit(&mine.head->rung, memory_order_relaxed))
        answer_doorbell();
    for (int n = 0; n < watch_count; n++) {
        struct watch *w = &watch[watch_next];
        const struct message *m = ring_peek(&w->ring);

        if (++watch_next >= watch_count)
            watch_next = 0;
        if (!m)
            continue;
        w->last_poll = polls;
        arrived = w;
        arrived_message = m;
        *arrival = (struct arrival){m, ring_payload(&w->ring, m), w->from};
        if (m->kind & STAGED)
            open_staged(w, arrival);
        return true;
    }
    return false;
}

/* Of the message that is out. */
static void give_chunk(void)
{
    struct staged staged;

    memcpy(&staged, ring_payload(&arrived->ring, arrived_message), sizeof staged);
    if (staging_payload(&staging, &staged))
        staging_give(&staging, staged.chunk);
}

static void shm_release(void)
{
    if (arrived_message->kind & STAGED)
        give_chunk();
    ring_consume(&arrived->ring, arrived_message);
}

static uint64_t shm_sent(struct peer *peer)
{
    return ((struct link_to *)peer->link)->ring.cell;
}

static uint64_t shm_taken(struct peer *peer)
{
    for (int i = 0; i < watch_count; i++)
        if (watch[i].from == peer)
            return watch[i].ring.cell;
    return readers[local_rank_of(peer->process)].cell;
}

static void *shm_map(struct peer *peer, uint64_t address, size_t bytes)
{
    struct link_to *l = peer->link;
    uint64_t offset;

    if (!l->heap) /* acquire: pairs with the release in heap.c */
        l->heap = atomic_load_explicit(&l->arena.head->heap, memory_order_acquire);
    offset = address - l->heap;
    if (!l->heap || offset >= l->view.size || bytes > l->view.size - offset)
        return NULL;
    return heap_view_at(&l->view, offset, bytes);
}

static void shm_nudge(struct peer *peer)
{
    bell_nudge(((struct link_to *)peer->link)->arena.head);
}

static bool cma_may_be_used(struct link_to *l)
{
    if (l->cma == CMA_UNTRIED) {
        l->cma = hint_process.value[HINT_CMA] && cma_works(l->arena.head) ? CMA_WORKS : CMA_REFUSED;
        l->pid = atomic_load_explicit(&l->arena.head->pid, memory_order_relaxed);
    }
    return l->cma == CMA_WORKS;
}

static int shm_get(struct peer *peer, void *to, uint64_t address, size_t bytes)
{
    struct link_to *l = peer->link;

    if (!cma_may_be_used(l))
        return MPI_ERR_UNSUPPORTED_OPERATION;
    return cma_read(l->pid, to, address, bytes);
}

static int shm_put(struct peer *peer, const void *from, uint64_t address, size_t bytes)
{
    struct link_to *l = peer->link;

    if (!cma_may_be_used(l))
        return MPI_ERR_UNSUPPORTED_OPERATION;
    return cma_write(l->pid, from, address, bytes);
}

static void *shm_line(struct peer *peer, bool incoming)
{
    struct link_to *l = peer->link;

    return incoming ? mine.control[l->local_rank].line : l->ring.control->line;
}

const struct transport shm_transport = {
    .name = "shm",
    .open = shm_open,
    .close = shm_close,
    .reaches = shm_reaches,
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
