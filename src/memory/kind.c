#include "memory/kind.h"

#include "base/lock.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>

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
