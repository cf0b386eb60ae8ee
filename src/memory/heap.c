#include "memory/heap.h"

#include "base/lock.h"
#include "base/round.h"
#include "memory/extents.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MAP_STEP = 4 << 20,   /* least growth of a mapping */
    LOOSE_MAX = 1 << 20,  /* a free extent with this many bytes of pages returns them */
    SMALL_PAGE = 4 << 10, /* with larger pages this only rounds more finely than needed */
};

static struct {
    struct lock lock; /* guards all */
    struct heap_view view;
    struct extents extents;
    size_t paged; /* pages of all bytes before this were asked for, and not given back */
    _Atomic uint64_t *shown;
} heap = {.lock = LOCK_INIT, .view = {.fd = -1}};

/* Reserves the address range, without memory or a file. */
static bool heap_reserve(struct heap_view *view)
{
    char *at =
        mmap(NULL, view->size + HEAP_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t front, back;

    if (at == MAP_FAILED)
        return false;
    front = round_up((uintptr_t)at, HEAP_PAGE) - (uintptr_t)at;
    back = HEAP_PAGE - front;
    if (front)
        munmap(at, front);
    if (back)
        munmap(at + front + view->size, back);
    view->base = (unsigned char *)at + front;
    return true;
}

/* Maps up to `end` at least. The caller holds the lock. */
static bool map_more(struct heap_view *view, size_t end)
{
    size_t mapped = atomic_load_explicit(&view->mapped, memory_order_relaxed), more = round_up(end, MAP_STEP);

    if (!view->base && !heap_reserve(view))
        return false;
    if (end <= mapped && mapped) /* another thread has mapped it */
        return true;
    more = (more < view->size ? more : view->size) - mapped;
    if (more && mmap(view->base + mapped, more, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, view->fd,
                     (off_t)(view->place + mapped)) == MAP_FAILED)
        return false;
    /* a core dump would fill the sparse file with pages */
    madvise(view->base + mapped, more, MADV_DONTDUMP);
    atomic_store_explicit(&view->mapped, mapped + more, memory_order_release); /* pairs with heap_view_at */
    return true;
}

void *heap_view_at(struct heap_view *view, uint64_t offset, size_t bytes)
{
    static struct lock growing = LOCK_INIT; /* guards every view's growth */
    size_t end = offset + bytes;
    /* acquire: these bytes are mapped, and base is set */
    size_t mapped = atomic_load_explicit(&view->mapped, memory_order_acquire);
    bool is_there = true;

    if (end < bytes || end > view->size)
        return NULL;
    if (end > mapped || !mapped) {
        lock_take(&growing);
        is_there = map_more(view, end);
        lock_release(&growing);
    }
    return is_there ? view->base + offset : NULL;
}

void heap_view_close(struct heap_view *view)
{
    if (view->base)
        munmap(view->base, view->size);
    *view = (struct heap_view){.fd = -1};
}

/* This process's heap, once it is used. The size is written first; release, and acquire in heap_holds. */
static _Atomic uintptr_t own_base;
static size_t own_size;
static _Atomic uint64_t own_used; /* written under the lock */

bool heap_holds(const void *at, size_t bytes)
{
    uintptr_t base = atomic_load_explicit(&own_base, memory_order_acquire);
    uintptr_t offset = (uintptr_t)at - base;

    return base && offset < own_size && bytes <= own_size - offset;
}

static void tell_place(void)
{
    own_size = heap.view.size;
    atomic_store_explicit(&own_base, (uintptr_t)heap.view.base, memory_order_release);
}

void heap_open(int fd, uint64_t place, size_t size, _Atomic uint64_t *shown)
{
    lock_take(&heap.lock);
    heap.shown = shown;
    if (heap.view.base) /* from an earlier heap_open, and in use */
        atomic_store_explicit(shown, (uintptr_t)heap.view.base, memory_order_release);
    else
        heap.view = (struct heap_view){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0), .place = place, .size = size};
    if (heap.view.fd < 0)
        heap.view.size = 0;
    lock_release(&heap.lock);
}

void heap_close(void)
{
    lock_take(&heap.lock);
    heap.shown = NULL;
    if (!heap.view.base || extents_are_unused(&heap.extents)) {
        if (heap.view.base)
            extents_fini(&heap.extents);
        if (heap.view.fd >= 0)
            close(heap.view.fd);
        heap_view_close(&heap.view);
        heap.paged = 0;
        atomic_store_explicit(&own_base, 0, memory_order_relaxed);
    }
    lock_release(&heap.lock);
}

/* Sets up the heap at its first use. */
static bool heap_begin(void)
{
    if (heap.view.base)
        return true;
    if (!heap.view.size || !heap.shown || !extents_init(&heap.extents, heap.view.size))
        return false;
    if (!heap_reserve(&heap.view)) {
        extents_fini(&heap.extents);
        return false;
    }
    tell_place();
    /* release: pairs with the acquire in link_remote_map (net/shm/link.c) */
    atomic_store_explicit(heap.shown, (uintptr_t)heap.view.base, memory_order_release);
    return true;
}

/* Allocates large pages where the system has them; MADV_POPULATE_WRITE is newer than some systems. */
static bool populate_large(void *at, size_t bytes)
{
    madvise(at, bytes, MADV_HUGEPAGE);
#ifdef MADV_POPULATE_WRITE
    return madvise(at, bytes, MADV_POPULATE_WRITE) == 0;
#else
    return false;
#endif
}

/* Allocates the pages of a block. */
static bool commit(size_t at, size_t bytes)
{
    size_t first = at & ~(size_t)(SMALL_PAGE - 1), length = round_up(at + bytes, SMALL_PAGE) - first;
    int refused = 0;

    if (first + length <= heap.paged)
        return true;
    madvise(heap.view.base + first, length, MADV_DODUMP);
    if (bytes < HEAP_PAGE || !populate_large(heap.view.base + first, length))
        do
            refused =
                fallocate(heap.view.fd, 0, (off_t)(heap.view.place + first), (off_t)length) < 0 ? errno : 0;
        while (refused == EINTR);
    if (refused && refused != EOPNOTSUPP && refused != ENOSYS) /* no file system support */
        return false;
    if (first <= heap.paged)
        heap.paged = first + length;
    return true;
}

/* Returns the pages that lie wholly in a free extent to the system. */
static void punch(struct extent *free_one)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t first = round_up(free_one->at, page), end = (free_one->at + free_one->size) & ~(page - 1);
    size_t mapped = atomic_load_explicit(&heap.view.mapped, memory_order_relaxed); /* under the lock */

    if (end > mapped) /* nothing behind it was ever used */
        end = mapped;
    if (end <= first)
        return;
    fallocate(heap.view.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(heap.view.place + first),
              (off_t)(end - first));
    madvise(heap.view.base + first, end - first, MADV_DONTDUMP);
    heap.paged = first < heap.paged ? first : heap.paged;
    free_one->loose = 0;
}

static void heap_give_back(struct extent *extent, size_t keep)
{
    struct extent *free_one = extents_give(&heap.extents, extent);

    if (free_one->loose >= keep)
        punch(free_one);
}

/* The caller holds the lock. */
static void heap_count(uint64_t change)
{
    /* relaxed: a number to report */
    atomic_store_explicit(&own_used, atomic_load_explicit(&own_used, memory_order_relaxed) + change,
                          memory_order_relaxed);
}

void heap_get_use(uint64_t *size, uint64_t *used)
{
    *size = atomic_load_explicit(&own_base, memory_order_acquire) ? own_size : 0;
    *used = atomic_load_explicit(&own_used, memory_order_relaxed);
}

/* The caller holds the lock. */
static void *alloc(size_t bytes, size_t alignment, struct extent **extent)
{
    struct extent *x = heap_begin() ? extents_take(&heap.extents, bytes, alignment) : NULL;
    void *at;

    if (!x)
        return NULL;
    at = heap_view_at(&heap.view, x->at, x->size);
    if (at && commit(x->at, x->size)) {
        heap_count(x->size);
        *extent = x;
        return at;
    }
    heap_give_back(x, 0);
    return NULL;
}

void *heap_alloc(size_t bytes, size_t alignment, struct extent **extent)
{
    void *at = NULL;

    if (bytes >= HEAP_PAGE && alignment < HEAP_PAGE)
        alignment = HEAP_PAGE;
    lock_take(&heap.lock);
    if (alignment <= HEAP_PAGE) /* the heap itself has no larger alignment */
        at = alloc(bytes, alignment, extent);
    lock_release(&heap.lock);
    return at;
}

void heap_free(struct extent *extent)
{
    lock_take(&heap.lock);
    heap_count(-(uint64_t)extent->size);
    heap_give_back(extent, LOOSE_MAX);
    lock_release(&heap.lock);
}
