/* test_kind: a device that every machine has, for tests.
 *
 * Its memory is reserved address space without access: code that does not ask where memory lies is killed at
 * the first byte. The contents are in another mapping, which only copy() knows. Blocks are never reused, so
 * the use of a freed one is found too. All of it lies in one file, which is what is exported. */
#include "base/lock.h"
#include "memory/kind.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROOM ((size_t)4 << 30) /* of address space; pages exist once touched */

enum {
    UNIT = 4096,
    EXPORTERS = 64 /* whose memory is mapped at once, and this process */
};

/* Memory of the device: the addresses that the program sees, and those of the contents. */
struct test_part {
    _Atomic(unsigned char *) closed; /* NULL: none. Release when the contents are there, acquire to read */
    unsigned char *contents;
};

static struct test_part part[EXPORTERS]; /* the first is this process's; the others change under the lock */
static _Atomic int parts = 1;            /* how many of these have been in use; relaxed: closed orders */
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

/* Gives the program addresses for what lies in this file; NULL: there is no room. */
static void *add_part(struct test_part *p, int fd)
{
    unsigned char *closed = test_kind_reserve(), *contents = test_kind_map(fd);

    if (!closed || !contents) {
        discard(closed);
        discard(contents);
        return NULL;
    }
    if (p >= part + atomic_load_explicit(&parts, memory_order_relaxed))
        atomic_store_explicit(&parts, (int)(p - part) + 1, memory_order_relaxed);
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

/* The address of the contents. */
static void *contents(const void *at)
{
    const struct test_part *p = test_kind_part_of(at);

    if (!p)
        return (void *)(uintptr_t)at;
    /* relaxed: test_kind_part_of has acquired it */
    return p->contents + ((const unsigned char *)at - atomic_load_explicit(&p->closed, memory_order_relaxed));
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

static bool test_export(const void *at, struct ipc_export *exported)
{
    struct descriptor d;

    (void)at;
    if (refuses(REFUSE_EXPORT) || !kind_descriptor_export(file, &d))
        return false;
    exported->id = 1;
    exported->base = (uint64_t)(uintptr_t)atomic_load_explicit(&part[0].closed, memory_order_acquire);
    exported->bytes = ROOM;
    memcpy(exported->handle, &d, sizeof d);
    return true;
}

static void *test_import(const struct ipc_export *exported, const void *beside)
{
    struct descriptor d;
    struct test_part *p = part + 1;
    void *at = NULL;
    int fd;

    (void)beside;
    if (refuses(REFUSE_IMPORT))
        return NULL;
    memcpy(&d, exported->handle, sizeof d);
    fd = kind_descriptor_import(&d);
    lock_always_take(&lock);
    while (p < part + EXPORTERS &&
           atomic_load_explicit(&p->closed, memory_order_relaxed)) /* under the lock */
        p++;
    if (fd >= 0 && p < part + EXPORTERS)
        at = add_part(p, fd);
    lock_always_release(&lock);
    if (fd >= 0)
        close(fd);
    return at;
}

static void test_ipc_close(void *at)
{
    lock_always_take(&lock);
    for (struct test_part *p = part + 1; p < part + EXPORTERS; p++)
        if (atomic_load_explicit(&p->closed, memory_order_relaxed) == at) { /* under the lock */
            atomic_store_explicit(&p->closed, NULL, memory_order_relaxed);
            discard(at);
            discard(p->contents);
        }
    lock_always_release(&lock);
}

static void *test_alloc(size_t bytes)
{
    size_t room = (bytes + 2 * UNIT - 1) / UNIT * UNIT; /* an unused page between blocks */
    void *at = NULL;

    lock_always_take(&lock);
    if (room <= ROOM - used) {
        at = atomic_load_explicit(&part[0].closed, memory_order_relaxed) + used; /* under the lock */
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
    .ipc_export = test_export,
    .ipc_import = test_import,
    .ipc_close = test_ipc_close,
    .alloc = test_alloc,
    .free = test_free,
};
