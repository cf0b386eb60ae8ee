/* fake: a pretended device's memory, for the pretended drivers of this folder: addresses without access,
 * whose contents lie elsewhere. */
#ifndef TESTS_KINDS_FAKE_H
#define TESTS_KINDS_FAKE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define FAKE_ROOM ((size_t)1 << 30)

static unsigned char *fake_closed, *fake_contents;
static size_t fake_used;
static pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;

static void fake_start(void)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

    fake_closed = mmap(NULL, FAKE_ROOM, PROT_NONE, flags, -1, 0);
    fake_contents = mmap(NULL, FAKE_ROOM, PROT_READ | PROT_WRITE, flags, -1, 0);
}

static int fake_holds(const void *at)
{
    return (uintptr_t)at - (uintptr_t)fake_closed < FAKE_ROOM;
}

static void *fake_place(const void *at)
{
    return fake_holds(at) ? fake_contents + ((const unsigned char *)at - fake_closed) : (void *)(uintptr_t)at;
}

static void fake_copy(void *to, const void *from, size_t bytes)
{
    memmove(fake_place(to), fake_place(from), bytes);
}

static void *fake_alloc(size_t bytes)
{
    void *at = NULL;

    pthread_mutex_lock(&fake_lock);
    if (bytes <= FAKE_ROOM - fake_used) {
        at = fake_closed + fake_used;
        fake_used += (bytes + 8191) / 4096 * 4096;
    }
    pthread_mutex_unlock(&fake_lock);
    return at;
}

#endif
