#include "memory/kind.h"

#include "base/lock.h"
#include "plain/fail.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

const struct kind kind_table[KIND_COUNT] = {
    [KIND_SYSTEM] = {"system", "", "", NULL},
    [KIND_MPI] = {"mpi", "alloc_mem,win_allocate,win_allocate_shared",
                  "alloc_mem,win_allocate,win_allocate_shared", NULL},
    [KIND_CUDA] = {"cuda", "host,device,managed", "host,managed", &cuda_device},
    [KIND_ROCM] = {"rocm", "host,device,managed", "host,managed", &rocm_device},
    [KIND_LEVEL_ZERO] = {"level_zero", "host,device,shared", "host,shared", &level_zero_device},
    [KIND_TEST] = {"test", "device", "", &test_device},
};

enum state {
    UNTRIED,
    THERE,
    ABSENT
};

static _Atomic int state[KIND_COUNT] = {[KIND_TEST] = ABSENT}; /* enum state */
static char why[KIND_COUNT][FAIL_NOTE_SIZE]; /* why it is absent; written before its state, under the lock */
static struct lock opening = LOCK_INIT;

static enum state try_to_open(enum kind_id id)
{
    if (kind_table[id].device->open() == MPI_SUCCESS)
        return THERE;
    snprintf(why[id], sizeof why[id], "%s", fail_note());
    return ABSENT;
}

bool kind_is_there(enum kind_id id)
{
    int now = atomic_load_explicit(&state[id], memory_order_acquire);

    if (!kind_table[id].device)
        return true;
    if (now != UNTRIED)
        return now == THERE;
    lock_always_take(&opening);
    now = atomic_load_explicit(&state[id], memory_order_relaxed);
    if (now == UNTRIED) {
        now = (int)try_to_open(id);
        /* release: who sees the state sees what open() found, or why it failed (acquire above) */
        atomic_store_explicit(&state[id], now, memory_order_release);
    }
    lock_always_release(&opening);
    return now == THERE;
}

const char *kind_why_absent(enum kind_id id)
{
    return kind_is_there(id) ? "" : why[id];
}

void kind_enable_test(void)
{
    int absent = ABSENT;

    /* relaxed: what open() finds is published by the state that follows */
    atomic_compare_exchange_strong_explicit(&state[KIND_TEST], &absent, UNTRIED, memory_order_relaxed,
                                            memory_order_relaxed);
}

const struct device *kind_look(const void *at, int64_t set)
{
    for (int64_t left = set >> KIND_DEVICE_SHIFT; left; left &= left - 1) {
        const struct device *device = kind_table[__builtin_ctzll((uint64_t)left)].device;

        if (device->holds(at))
            return device;
    }
    return NULL;
}

bool kind_export(const struct device *device, const void *at, struct ipc_export *exported)
{
    uint64_t id = 0;

    while (kind_table[id].device != device)
        id++;
    *exported = (struct ipc_export){.kind = id};
    return device->ipc_export(at, exported);
}

bool kind_descriptor_export(int fd, struct descriptor *d)
{
    struct stat file;

    if (fstat(fd, &file) < 0)
        return false;
    *d = (struct descriptor){(uint64_t)getpid(), (uint64_t)fd, file.st_dev, file.st_ino};
    return true;
}

/* For any file; the system must let this process trace the other. */
static int descriptor_take_over(const struct descriptor *d)
{
    long process = syscall(SYS_pidfd_open, (pid_t)d->pid, 0);
    long fd = -1;

    if (process < 0)
        return -1;
    fd = syscall(SYS_pidfd_getfd, (int)process, (int)d->fd, 0);
    close((int)process);
    return (int)fd;
}

/* For files in a file system, as memfds are; the other process must be of the same user. */
static int open_again(const struct descriptor *d)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)d->pid, (int)d->fd);
    return open(path, O_RDWR | O_CLOEXEC);
}

static bool is_meant(int fd, const struct descriptor *d)
{
    struct stat file;

    return fstat(fd, &file) == 0 && file.st_dev == d->device && file.st_ino == d->inode;
}

int kind_descriptor_import(const struct descriptor *d)
{
    int fd = descriptor_take_over(d);

    if (fd < 0)
        fd = open_again(d);
    if (fd >= 0 && !is_meant(fd, d)) {
        close(fd);
        fd = -1;
    }
    return fd;
}
