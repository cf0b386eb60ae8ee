#include "net/network/waker.h"

#include "base/thread.h"
#include "net/network/crowd.h"
#include "net/network/heartbeat.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    NS_PER_S = 1000 * 1000 * 1000
};

static struct {
    const struct sleeper *below; /* net/shm's; NULL: none, threads sleep on `bell` */
    _Atomic uint32_t bell;
    bool (*is_quiet)(void);
    int fd, events, end;
    pthread_t thread;
    bool runs;
    pid_t process; /* that the thread is of: a child of fork() has none */
} waker = {.fd = -1, .events = -1, .end = -1};

static void waker_look_around(void)
{
    if (waker.below)
        waker.below->look_around();
}

static uint32_t waker_prepare(void)
{
    return waker.below ? waker.below->prepare() : atomic_load_explicit(&waker.bell, memory_order_acquire);
}

static void waker_cancel(void)
{
    if (waker.below)
        waker.below->cancel();
}

static void waker_wake(void)
{
    if (waker.below) {
        waker.below->wake();
        return;
    }
    /* release: pairs with the acquire in waker_prepare */
    atomic_fetch_add_explicit(&waker.bell, 1, memory_order_release);
    syscall(SYS_futex, &waker.bell, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* The descriptor is level-triggered: what came after is_quiet looked fires at once. */
static void arm(void)
{
    struct epoll_event once = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = waker.fd};

    epoll_ctl(waker.events, EPOLL_CTL_MOD, waker.fd, &once);
}

static void waker_sleep(uint32_t seen, uint64_t most_ns)
{
    struct timespec most = {(time_t)(most_ns / NS_PER_S), (long)(most_ns % NS_PER_S)};

    if (!waker.is_quiet()) {
        waker_cancel();
        return;
    }
    arm();
    if (waker.below)
        waker.below->sleep(seen, most_ns);
    else
        syscall(SYS_futex, &waker.bell, FUTEX_WAIT_PRIVATE, seen, most_ns ? &most : NULL, NULL, 0);
}

static void *waker_watch(void *unused)
{
    struct epoll_event event = {0};
    int count = 0;

    while (count <= 0 || event.data.fd != waker.end) {
        bool wake, is_crowd;
        int until_beat = heartbeat_send(&wake), until_look = crowd_look(&is_crowd);
        int patience = until_beat < 0 || until_look < until_beat ? until_look : until_beat;

        if (wake || is_crowd || (count > 0 && event.data.fd == waker.fd))
            waker_wake();
        count = epoll_wait(waker.events, &event, 1, patience);
        if (count > 0 && event.data.fd == heartbeat_fd() && heartbeat_receive())
            waker_wake();
    }
    return unused;
}

static int start_thread(void)
{
    int code = thread_start(&waker.thread, waker_watch);

    waker.runs = code == 0;
    waker.process = getpid();
    return code;
}

/* False: it does not run. */
static bool waker_stop(void)
{
    uint64_t one = 1;

    if (!waker.runs || write(waker.end, &one, sizeof one) != sizeof one)
        return false;
    pthread_join(waker.thread, NULL);
    waker.runs = false;
    return true;
}

/* The thread hashes heartbeats, and a handler of exit() takes libcrypto down. It was registered in keyed_hash_open, so this
 * one runs before it. */
static void waker_stop_at_exit(void)
{
    if (waker.process == getpid())
        waker_stop();
}

static bool register_at_exit(void)
{
    static bool is_registered;

    is_registered = is_registered || atexit(waker_stop_at_exit) == 0;
    return is_registered;
}

static bool waker_add(int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};

    return epoll_ctl(waker.events, EPOLL_CTL_ADD, fd, &event) == 0;
}

int waker_open(int fd, bool (*is_quiet)(void))
{
    static const struct sleeper sleeper = {waker_look_around, waker_prepare, waker_sleep, waker_cancel,
                                           waker_wake};

    waker.fd = fd;
    waker.is_quiet = is_quiet;
    waker.below = progress_sleeper(); /* before the thread starts, which reads it */
    if (fd < 0)
        progress_stay_awake(1);
    waker.events = epoll_create1(EPOLL_CLOEXEC);
    waker.end = eventfd(0, EFD_CLOEXEC);
    if (waker.events < 0 || waker.end < 0 || (fd >= 0 && !waker_add(fd, 0)) ||
        !waker_add(waker.end, EPOLLIN) || (heartbeat_fd() >= 0 && !waker_add(heartbeat_fd(), EPOLLIN)) ||
        !register_at_exit() || start_thread() != 0) {
        waker_close();
        return fail(MPI_ERR_OTHER, "no thread can wait for messages of other hosts: %s", strerror(errno));
    }
    progress_set_sleeper(&sleeper);
    progress_set_far(true);
    return MPI_SUCCESS;
}

void waker_close(void)
{
    progress_set_far(false);
    if (waker_stop())
        progress_set_sleeper(waker.below);
    if (waker.is_quiet && waker.fd < 0)
        progress_stay_awake(-1);
    if (waker.events >= 0)
        close(waker.events);
    if (waker.end >= 0)
        close(waker.end);
    waker.below = NULL;
    waker.is_quiet = NULL;
    waker.fd = waker.events = waker.end = -1;
}
