/* testing: a device that every machine has, for tests.
 *
 * Its memory is reserved address space without access: whoever forgets to ask where memory lies is killed at
 * the first byte. The contents are in another mapping, which only copy() knows. Blocks are never reused, so
 * that one that was freed is found out too. The whole lies in one file, which is what is lent. */
#include "base/fail.h"
#include "base/lock.h"
#include "memory/descriptor.h"
#include "memory/kind.h"

#include <mpi.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROOM ((size_t)4 << 30) /* of address space; pages exist once touched */

enum {
    UNIT = 4096,
    LENDERS = 64 /* whose memory is mapped at once, and this process */
};

/* Memory of the device: the program's addresses, and where the host finds the contents. */
struct test_part {
    _Atomic(unsigned char *)
        closed; /* NULL: none. Release when the contents are there, acquire by who asks */
    unsigned char *contents;
};

static struct test_part part[LENDERS]; /* the first is this process's; the others change under lock */
static _Atomic int parts = 1;          /* how many of these have been in use; relaxed: closed orders */
static int file = -1;
static size_t used; /* guarded by lock */
static struct lock lock = LOCK_INIT;
static _Atomic unsigned long looks;
static _Atomic unsigned refused; /* enum kind_refusal */

static unsigned char *test_kind_reserve(void)
{
    void *at = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

static unsigned char *test_kind_map(int fd)
{
    void *at = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);

    return at == MAP_FAILED ? NULL : at;
}

static void discard(unsigned char *at)
{
    if (at)
        munmap(at, ROOM);
}

/* Where the program sees what lies in this file from now on; NULL: there is no room. */
static void *add_part(struct test_part *p, int fd)
{
    unsigned char *closed = test_kind_reserve(), *contents = test_kind_map(fd);

    if (!closed || !contents) {
        discard(closed);
        discard(contents);
        return NULL;
    }
    if (p >= part + parts)
        parts = (int)(p - part) + 1;
    p->contents = contents;
    atomic_store_explicit(&p->closed, closed, memory_order_release);
    return closed;
}

static int test_open(void)
{
    file = memfd_create("inkling-test-device", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, ROOM) < 0 || !add_part(&part[0], file))
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "no room for the test device's memory");
    return MPI_SUCCESS;
}

static const struct test_part *test_kind_part_of(const void *at)
{
    int count = atomic_load_explicit(&parts, memory_order_relaxed);

    for (const struct test_part *p = part; p < part + count; p++) {
        const unsigned char *closed = atomic_load_explicit(&p->closed, memory_order_acquire);

        if (closed && (uintptr_t)at - (uintptr_t)closed < ROOM)
            return p;
    }
    return NULL;
}

static bool is_closed(const void *at)
{
    return test_kind_part_of(at) != NULL;
}

static bool test_holds(const void *at)
{
    atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed);
    return is_closed(at);
}

unsigned long test_kind_looks(void)
{
    return atomic_load_explicit(&looks, memory_order_relaxed);
}

void test_kind_refuse(unsigned refusals)
{
    atomic_store_explicit(&refused, refusals, memory_order_relaxed);
}

static bool refuses(enum kind_refusal what)
{
    return atomic_load_explicit(&refused, memory_order_relaxed) & what;
}

/* Where the host finds the contents. */
static void *contents(const void *at)
{
    const struct test_part *p = test_kind_part_of(at);

    return p ? p->contents + ((const unsigned char *)at - p->closed) : (void *)(uintptr_t)at;
}

static int test_copy(void *to, const void *from, size_t bytes)
{
    if (!is_closed(to) && !is_closed(from))
        return fail(MPI_ERR_OTHER, "neither %p nor %p is the test device's", from, to);
    if (refuses(REFUSE_COPY))
        return fail(MPI_ERR_OTHER, "the test device does not copy %zu bytes", bytes);
    memmove(contents(to), contents(from), bytes);
    return MPI_SUCCESS;
}

static bool test_lend(const void *at, struct loan *loan)
{
    struct descriptor d;

    (void)at;
    if (refuses(REFUSE_LEND) || !descriptor_export(file, &d))
        return false;
    loan->id = 1;
    loan->base = (uint64_t)(uintptr_t)part[0].closed;
    loan->bytes = ROOM;
    memcpy(loan->handle, &d, sizeof d);
    return true;
}

static void *test_borrow(const struct loan *loan, const void *beside)
{
    struct descriptor d;
    struct test_part *p = part + 1;
    void *at = NULL;
    int fd;

    (void)beside;
    if (refuses(REFUSE_BORROW))
        return NULL;
    memcpy(&d, loan->handle, sizeof d);
    fd = descriptor_import(&d);
    lock_always_take(&lock);
    while (p < part + LENDERS && p->closed)
        p++;
    if (fd >= 0 && p < part + LENDERS)
        at = add_part(p, fd);
    lock_always_release(&lock);
    if (fd >= 0)
        close(fd);
    return at;
}

static void test_give_back(void *at)
{
    lock_always_take(&lock);
    for (struct test_part *p = part + 1; p < part + LENDERS; p++)
        if (p->closed == at) {
            atomic_store_explicit(&p->closed, NULL, memory_order_relaxed);
            discard(at);
            discard(p->contents);
        }
    lock_always_release(&lock);
}

static void *test_alloc(size_t bytes)
{
    size_t room = (bytes + 2 * UNIT - 1) / UNIT * UNIT; /* a page between blocks */
    void *at = NULL;

    lock_always_take(&lock);
    if (room <= ROOM - used) {
        at = part[0].closed + used;
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
    .lend = test_lend,
    .borrow = test_borrow,
    .give_back = test_give_back,
    .alloc = test_alloc,
    .free = test_free,
};
