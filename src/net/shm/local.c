#include "net/shm/local.h"

#include "boot/boot.h"
#include "hint/hint.h"
#include "net/shm/attach.h"
#include "net/shm/bell.h"
#include "net/shm/cma.h"
#include "net/shm/deaths.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/memfd.h"
#include "plain/socket.h"
#include "progress/progress.h"

#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Creates the shared memory of a host where mpiexec has not passed one on.
 *
 * The first local process creates it and passes it to the others over an abstract Unix socket named after the
 * job.
 */

enum {
    PATIENCE_MS = 60 * 1000,
    RETRY_NS = 1000 * 1000
};

static int no_fd(const char *what)
{
    fail(MPI_ERR_OTHER, "cannot share memory with the other processes of this host: %s: %s", what,
         strerror(errno));
    return -1;
}

static int serve(int listener, int fd, int others)
{
    for (int served = 0; served < others;) {
        struct pollfd ready = {.fd = listener, .events = POLLIN};
        int socket = poll(&ready, 1, PATIENCE_MS) == 1 ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;

        if (socket < 0)
            return -1;
        if (socket_is_own_user(socket)) {
            if (!socket_send_fd(socket, &(char){0}, 1, fd)) {
                close(socket);
                return -1;
            }
            served++;
        }
        close(socket);
    }
    return 0;
}

static int make_and_serve(const char *job, int others, size_t room)
{
    struct sockaddr_un name;
    socklen_t length = socket_name_here(job, &name);
    int fd = memfd_open(room);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool served = fd >= 0 && listener >= 0 && bind(listener, (struct sockaddr *)&name, length) == 0 &&
                  listen(listener, others) == 0 && serve(listener, fd, others) == 0;

    if (listener >= 0)
        close(listener);
    if (served || fd < 0)
        return fd; /* if < 0, memfd_open has written the note */
    no_fd("serving");
    close(fd);
    return -1;
}

/* The server may not listen yet. */
static int connect_with_patience(int socket, const struct sockaddr_un *name, socklen_t length)
{
    uint64_t limit = clock_ns() + (uint64_t)PATIENCE_MS * 1000000;
    struct timespec pause = {0, RETRY_NS};

    while (connect(socket, (const struct sockaddr *)name, length) < 0) {
        if ((errno != ECONNREFUSED && errno != ENOENT && errno != EAGAIN) || clock_ns() > limit)
            return -1;
        nanosleep(&pause, NULL);
    }
    return 0;
}

static int share_fetch(const char *job)
{
    struct sockaddr_un name;
    socklen_t length = socket_name_here(job, &name);
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int fd = -1;
    char byte;

    if (s < 0 || connect_with_patience(s, &name, length) < 0 || !socket_is_own_user(s) ||
        !socket_receive_fd(s, &byte, sizeof byte, &fd))
        no_fd("fetching");
    if (s >= 0)
        close(s);
    return fd;
}

/* The file descriptor, or -1 with a note. room: how many bytes may be used. Blocks until the others have
 * connected (or a minute has passed). */
static int share_memory(const char *job, int local_rank, int local_size, size_t room)
{
    return local_rank == 0 ? make_and_serve(job, local_size - 1, room) : share_fetch(job);
}

struct local_process local = {.segment.plan.fd = -1};

static _Atomic bool all_present; /* all local processes have added their cores to the host page */
static _Atomic int cores; /* how many they have together; relaxed, like `guests`: an estimate suffices */
static _Atomic int guests;

/* Adds the cores that this process may run on to the host page. */
static void add_cores(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        for (int core = 0; core < CPU_SETSIZE && core < HOST_CORE_WORDS * 64; core++)
            if (CPU_ISSET(core, &set))
                atomic_fetch_or_explicit(&local.page->cores[core / 64], (uint64_t)1 << core % 64,
                                         memory_order_relaxed);
    /* release: who counts this process sees its cores (acquire in local_look_around) */
    atomic_fetch_add_explicit(&local.page->present, 1, memory_order_release);
}

static void set_crowd(void)
{
    progress_set_crowd(boot.local_size + atomic_load_explicit(&guests, memory_order_relaxed),
                       atomic_load_explicit(&cores, memory_order_relaxed));
}

/* Counts the cores of the host's processes, once all of them have published theirs. */
static void local_look_around(void)
{
    int sum = 0;

    if (atomic_load_explicit(&all_present, memory_order_relaxed) ||
        atomic_load_explicit(&local.page->present, memory_order_acquire) < boot.local_size)
        return;
    atomic_store_explicit(&all_present, true, memory_order_relaxed);
    for (int i = 0; i < HOST_CORE_WORDS; i++)
        sum += __builtin_popcountll(atomic_load_explicit(&local.page->cores[i], memory_order_relaxed));
    atomic_store_explicit(&cores, sum, memory_order_relaxed);
    set_crowd();
}

void local_count_guests(void)
{
    atomic_store_explicit(&guests, attach_count_guests(), memory_order_relaxed);
    set_crowd();
}

static uint32_t sleep_prepare(void)
{
    local_look_around();
    return bell_prepare(local.head);
}

static void sleep_sleep(uint32_t seen, uint64_t most_ns)
{
    bell_sleep(local.head, seen, most_ns);
}

static void sleep_cancel(void)
{
    bell_cancel(local.head);
}

static void sleep_wake(void)
{
    bell_wake_threads(local.head);
}

static const struct sleeper sleeper = {local_look_around, sleep_prepare, sleep_sleep, sleep_cancel,
                                       sleep_wake};

/* The size of a ring is a power of two; the setting may be any number. */
static size_t ring_size_wanted(void)
{
    size_t size = RING_SIZE_MIN;

    while (size * 2 <= (size_t)hint_process.value[HINT_RING_SIZE])
        size *= 2;
    return size;
}

static int get_memory(void)
{
    size_t room = (size_t)boot.local_size * (size_t)boot.local_size * ring_size_wanted();

    if (boot.local_fd >= 0)
        return boot.local_fd;
    return boot.local_size == 1 ? memfd_open(room)
                                : share_memory(boot.job, boot.local_rank, boot.local_size, room);
}

static int local_open_memory(void)
{
    struct arena_plan *plan = &local.segment.plan;
    struct arena arena;
    int error;

    plan->fd = get_memory();
    if (plan->fd < 0)
        return MPI_ERR_OTHER;
    plan->local_size = boot.local_size;
    local.page = host_page_open(plan->fd, boot.local_size, &plan->stride);
    if (!local.page)
        return MPI_ERR_NO_MEM;
    if (hint_process.value[HINT_SURVIVE]) {
        local.agreements = host_page_open_more(plan->fd, boot.local_size, plan->stride);
        if (!local.agreements)
            return MPI_ERR_NO_MEM;
    }
    plan->ring_size = host_page_settle(&local.page->ring_size, ring_size_wanted());
    plan->staging_size =
        host_page_settle(&local.page->staging_size, (size_t)hint_process.value[HINT_STAGING_SIZE]);
    error = arena_check_room(plan);
    if (!error)
        error = arena_open(plan, 0, 1, boot.local_rank, &arena);
    if (!error)
        error = watch_open(&local.watchers[0], plan, 0, &arena, arena.head, &local.staging);
    if (error)
        return error;
    local.head = arena.head;
    staging_init(&local.staging, arena.staging, &local.head->staging_busy, plan->staging_size);
    link_segment_init(&local.segment);
    return MPI_SUCCESS;
}

int local_open(void)
{
    int error = local_open_memory();

    if (error) {
        local_close();
        return error;
    }
    atomic_store_explicit(&cores, progress_cores(), memory_order_relaxed); /* those that are online */
    add_cores();
    heap_open(local.segment.plan.fd, arena_heap_place(&local.segment.plan, boot.local_rank),
              local.segment.heap_size, &local.head->heap);
    atomic_store_explicit(&local.head->tell,
                          host_page_tell_place(boot.local_size, local.segment.plan.stride, boot.local_rank),
                          memory_order_relaxed); /* the release of `pid` follows */
    cma_open(local.head);
    bell_open(local.head, progress_is_crowded());
    progress_set_work(&local.page->work);
    progress_set_sleeper(&sleeper);
    deaths_open();
    return MPI_SUCCESS;
}

int local_open_lanes(void)
{
    const struct arena_plan *plan = &local.segment.plan;
    struct arena arena[NET_LANES];
    int error;

    if (!local.head)
        return MPI_SUCCESS;
    if (!arena_has_lanes(plan))
        return fail(MPI_ERR_NO_MEM, "no room for more rings in the shared memory");
    error = arena_open(plan, 1, NET_LANES - 1, boot.local_rank, &arena[1]);
    for (int lane = 1; !error && lane < NET_LANES; lane++)
        error = watch_open(&local.watchers[lane], plan, lane, &arena[lane], local.head, &local.staging);
    if (!error)
        arena_show_lanes(plan, boot.local_rank, local.head);
    return error;
}

void local_close(void)
{
    progress_set_sleeper(NULL);
    progress_set_work(NULL);
    heap_close();
    for (int lane = 0; lane < NET_LANES; lane++)
        watch_close(&local.watchers[lane]);
    if (local.page)
        host_page_close(local.page);
    if (local.agreements)
        munmap(local.agreements, host_page_more(boot.local_size));
    if (local.segment.plan.fd >= 0 && local.segment.plan.fd != boot.local_fd)
        close(local.segment.plan.fd);
    local = (struct local_process){.segment.plan.fd = -1};
}
