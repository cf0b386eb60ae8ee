/* testing: a device that every machine has, for tests.
 *
 * Its memory is reserved address space without access: whoever forgets to ask where memory lies is killed at
 * the first byte. The contents are in another mapping, which only copy() knows. Blocks are never reused, so
 * that one that was freed is found out too. */
#include "base/fail.h"
#include "base/lock.h"
#include "memory/kind.h"

#include <mpi.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define ROOM ((size_t)4 << 30) /* of address space; pages exist once touched */

enum {
    UNIT = 4096
};

static unsigned char *closed, *open_; /* the program's addresses, and the contents */
static size_t used;                   /* guarded by lock */
static struct lock lock = LOCK_INIT;
static _Atomic unsigned long looks;

static unsigned char *reserve(int access)
{
    void *at = mmap(NULL, ROOM, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

static bool test_open(void)
{
    closed = reserve(PROT_NONE);
    open_ = reserve(PROT_READ | PROT_WRITE);
    return closed && open_;
}

static bool is_closed(const void *at)
{
    return (uintptr_t)at - (uintptr_t)closed < ROOM;
}

static bool test_holds(const void *at)
{
    atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed);
    return is_closed(at);
}

unsigned long kind_test_looks(void)
{
    return atomic_load_explicit(&looks, memory_order_relaxed);
}

/* Where the host finds the contents. */
static void *contents(const void *at)
{
    return is_closed(at) ? open_ + ((const unsigned char *)at - closed) : (void *)(uintptr_t)at;
}

static int test_copy(void *to, const void *from, size_t bytes)
{
    if (!is_closed(to) && !is_closed(from))
        return fail(MPI_ERR_OTHER, "neither %p nor %p is the test device's", from, to);
    memmove(contents(to), contents(from), bytes);
    return MPI_SUCCESS;
}

static void *test_alloc(size_t bytes)
{
    size_t room = (bytes + 2 * UNIT - 1) / UNIT * UNIT; /* a page between blocks */
    void *at = NULL;

    lock_always_take(&lock);
    if (room <= ROOM - used) {
        at = closed + used;
        used += room;
    }
    lock_always_release(&lock);
    return at;
}

static void test_free(void *at)
{
    (void)at;
}

const struct device test_device = {
    .library = "no library",
    .open = test_open,
    .holds = test_holds,
    .copy = test_copy,
    .alloc = test_alloc,
    .free = test_free,
};
