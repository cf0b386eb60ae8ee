#include "net/shm/neighbours.h"

#include "base/thread.h"
#include "boot/boot.h"
#include "hint/hint.h"
#include "net/shm/arena.h"
#include "net/shm/local.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    NOT_STARTED_MS = 20, /* between looks whether they have */
    GONE = -2
};

static struct {
    pthread_t thread;
    pid_t process;           /* that the thread is of; 0: none */
    int event;               /* an eventfd: the thread is to look at the two below */
    _Atomic bool is_over;    /* the thread is to end */
    _Atomic bool *is_doomed; /* by local rank: it is to be ended. Both relaxed: the eventfd orders them */
    /* Owner: the thread. */
    struct pollfd
        *wait; /* by local rank; -1: it has not started or is this process; GONE; behind them `event` */
} neighbours = {.event = -1};

/* 0: it has not started. */
static pid_t find_pid(int local_rank)
{
    const struct arena_plan *plan = &local.segment.plan;
    size_t bytes = sizeof(struct arena_head);
    struct arena_head *head =
        mmap(NULL, bytes, PROT_READ, MAP_SHARED, plan->fd, (off_t)((uint64_t)local_rank * plan->stride));
    pid_t pid = 0;

    if (head == MAP_FAILED)
        return 0;
    pid = atomic_load_explicit(&head->pid, memory_order_acquire); /* pairs with cma_open's release */
    munmap(head, bytes);
    return pid;
}

static void neighbour_note_end(int local_rank)
{
    if (neighbours.wait[local_rank].fd >= 0)
        close(neighbours.wait[local_rank].fd);
    neighbours.wait[local_rank].fd = GONE;
    if (host_page_is_over(local.page, local_rank))
        return;
    host_page_tell_death(local.page, local_rank);
    progress_wake();
}

/* Whether some have not started. */
static bool look_for_starts(void)
{
    bool lacks_some = false;

    for (int i = 0; i < boot.local_size; i++) {
        pid_t pid;

        if (neighbours.wait[i].fd != -1 || i == boot.local_rank)
            continue;
        pid = find_pid(i);
        lacks_some = lacks_some || pid == 0;
        if (pid)
            neighbours.wait[i].fd = (int)syscall(SYS_pidfd_open, pid, 0);
        if (pid && neighbours.wait[i].fd < 0 && errno == ESRCH)
            neighbour_note_end(i);
    }
    return lacks_some;
}

static void end_doomed(void)
{
    uint64_t count;

    if (read(neighbours.event, &count, sizeof count) < 0)
        return;
    for (int i = 0; i < boot.local_size; i++)
        if (neighbours.wait[i].fd >= 0 &&
            atomic_load_explicit(&neighbours.is_doomed[i], memory_order_relaxed))
            syscall(SYS_pidfd_send_signal, neighbours.wait[i].fd, SIGKILL, NULL, 0);
}

static void *neighbours_watch(void *unused)
{
    while (!atomic_load_explicit(&neighbours.is_over, memory_order_relaxed)) {
        int patience = look_for_starts() ? NOT_STARTED_MS : -1;

        if (poll(neighbours.wait, (nfds_t)boot.local_size + 1, patience) <= 0)
            continue;
        if (neighbours.wait[boot.local_size].revents)
            end_doomed();
        for (int i = 0; i < boot.local_size; i++)
            if (neighbours.wait[i].fd >= 0 && neighbours.wait[i].revents)
                neighbour_note_end(i);
    }
    return unused;
}

static int neighbours_start(void)
{
    neighbours.wait = malloc(((size_t)boot.local_size + 1) * sizeof *neighbours.wait);
    neighbours.is_doomed = calloc((size_t)boot.local_size, sizeof *neighbours.is_doomed);
    if (!neighbours.wait || !neighbours.is_doomed)
        return fail(MPI_ERR_NO_MEM, "no memory to wait for %d processes", boot.local_size);
    for (int i = 0; i <= boot.local_size; i++)
        neighbours.wait[i] = (struct pollfd){.fd = -1, .events = POLLIN};
    neighbours.event = eventfd(0, EFD_CLOEXEC);
    neighbours.wait[boot.local_size].fd = neighbours.event;
    atomic_store_explicit(&neighbours.is_over, false, memory_order_relaxed);
    errno = neighbours.event < 0 ? errno : thread_start(&neighbours.thread, neighbours_watch);
    if (neighbours.event < 0 || errno)
        return fail(MPI_ERR_OTHER, "no thread can wait for the ends of other processes: %s", strerror(errno));
    neighbours.process = getpid();
    return MPI_SUCCESS;
}

int neighbours_open(void)
{
    if (!hint_process.value[HINT_SURVIVE] || boot.local_size == 1 || strcmp(boot.launcher, "mpiexec") == 0)
        return MPI_SUCCESS;
    return neighbours_start();
}

/* Whether there is one in this process. */
static bool wake_thread(void)
{
    uint64_t one = 1;

    return neighbours.process == getpid() && write(neighbours.event, &one, sizeof one) == sizeof one;
}

void neighbours_end(int local_rank)
{
    if (neighbours.process == 0)
        return;
    atomic_store_explicit(&neighbours.is_doomed[local_rank], true, memory_order_relaxed);
    wake_thread();
}

void neighbours_close(void)
{
    atomic_store_explicit(&neighbours.is_over, true, memory_order_relaxed);
    if (wake_thread())
        pthread_join(neighbours.thread, NULL);
    if (neighbours.event >= 0)
        close(neighbours.event);
    for (int i = 0; neighbours.wait && i < boot.local_size; i++)
        if (neighbours.wait[i].fd >= 0)
            close(neighbours.wait[i].fd);
    free(neighbours.wait);
    free(neighbours.is_doomed);
    neighbours.wait = NULL;
    neighbours.is_doomed = NULL;
    neighbours.process = 0;
    neighbours.event = -1;
}
