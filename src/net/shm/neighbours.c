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
    pid_t process; /* that the thread is of; 0: none */
    int end;       /* an eventfd: the thread is to end */
    /* Owner: the thread. */
    struct pollfd
        *wait; /* by local rank; -1: it has not started or is this process; GONE; behind them `end` */
} neighbours = {.end = -1};

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

static void *neighbours_watch(void *unused)
{
    struct pollfd *end = &neighbours.wait[boot.local_size];

    while (!end->revents) {
        int patience = look_for_starts() ? NOT_STARTED_MS : -1;

        if (poll(neighbours.wait, (nfds_t)boot.local_size + 1, patience) <= 0)
            continue;
        for (int i = 0; i < boot.local_size; i++)
            if (neighbours.wait[i].fd >= 0 && neighbours.wait[i].revents)
                neighbour_note_end(i);
    }
    return unused;
}

static int neighbours_start(void)
{
    neighbours.wait = malloc(((size_t)boot.local_size + 1) * sizeof *neighbours.wait);
    if (!neighbours.wait)
        return fail(MPI_ERR_NO_MEM, "no memory to wait for %d processes", boot.local_size);
    for (int i = 0; i <= boot.local_size; i++)
        neighbours.wait[i] = (struct pollfd){.fd = -1, .events = POLLIN};
    neighbours.end = eventfd(0, EFD_CLOEXEC);
    neighbours.wait[boot.local_size].fd = neighbours.end;
    errno = neighbours.end < 0 ? errno : thread_start(&neighbours.thread, neighbours_watch);
    if (neighbours.end < 0 || errno)
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

void neighbours_close(void)
{
    uint64_t one = 1;

    if (neighbours.process == getpid() && write(neighbours.end, &one, sizeof one) == sizeof one)
        pthread_join(neighbours.thread, NULL);
    if (neighbours.end >= 0)
        close(neighbours.end);
    for (int i = 0; neighbours.wait && i < boot.local_size; i++)
        if (neighbours.wait[i].fd >= 0)
            close(neighbours.wait[i].fd);
    free(neighbours.wait);
    neighbours.wait = NULL;
    neighbours.process = 0;
    neighbours.end = -1;
}
