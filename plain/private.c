#include "plain/private.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

enum {
    DESCRIPTORS = 65536
};

/* Bit i: descriptor i is private. Any thread; relaxed: the owner of a descriptor sets and clears its bit, and
 * the child has one thread. */
static _Atomic uint64_t table[DESCRIPTORS / 64];

static void private_close_all(void)
{
    for (int i = 0; i < DESCRIPTORS / 64; i++)
        for (uint64_t bits = atomic_exchange_explicit(&table[i], 0, memory_order_relaxed); bits;
             bits &= bits - 1)
            close(i * 64 + __builtin_ctzll(bits));
}

static void private_prepare(void)
{
    pthread_atfork(NULL, NULL, private_close_all);
}

void private_add(int fd)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (fd < 0 || fd >= DESCRIPTORS)
        return;
    pthread_once(&once, private_prepare);
    atomic_fetch_or_explicit(&table[fd / 64], (uint64_t)1 << fd % 64, memory_order_relaxed);
}

/* Removed from the table first: the number may be reused at once. */
void private_close(int fd)
{
    if (fd >= 0 && fd < DESCRIPTORS)
        atomic_fetch_and_explicit(&table[fd / 64], ~((uint64_t)1 << fd % 64), memory_order_relaxed);
    close(fd);
}
