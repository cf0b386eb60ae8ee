#include "memory/memory.h"

#include "base/lock.h"
#include "memory/heap.h"
#include "plain/fail.h"

#include <mpi.h>
#include <search.h>
#include <stdlib.h>
#include <sys/mman.h>

/* physical_available costs more than a small block. */
#define ASKED_FROM ((size_t)64 << 20)

struct block {
    void *at;
    size_t bytes;
    struct extent *extent; /* in the heap; NULL: plain memory */
};

static struct lock lock = LOCK_INIT;
static void *blocks; /* a search tree (tsearch) of struct block by `at`; guarded by lock */

static int memory_compare(const void *a, const void *b)
{
    const struct block *one = a, *other = b;

    return one->at < other->at ? -1 : one->at > other->at;
}

/* An alignment takes room too, of addresses if not of pages. */
static int memory_check_room(size_t bytes, size_t alignment)
{
    uint64_t left = bytes < ASKED_FROM && alignment < ASKED_FROM ? UINT64_MAX : physical_available();

    if (bytes > left || alignment > left)
        return fail(MPI_ERR_NO_MEM,
                    "%zu MiB at a multiple of %zu are more than the %llu MiB that this process can still get",
                    bytes >> 20, alignment, (unsigned long long)left >> 20);
    return MPI_SUCCESS;
}

static void *plain_alloc(size_t bytes, size_t alignment)
{
    void *at = NULL;

    if (bytes >= HEAP_PAGE && alignment < HEAP_PAGE)
        alignment = HEAP_PAGE;
    if (posix_memalign(&at, alignment, bytes))
        return NULL;
    if (bytes >= HEAP_PAGE)
        madvise(at, bytes & ~(HEAP_PAGE - 1), MADV_HUGEPAGE);
    return at;
}

static void memory_release(struct block *b)
{
    if (b->extent)
        heap_free(b->extent);
    else
        free(b->at);
    free(b);
}

static bool keep_account(struct block *b)
{
    bool kept;

    lock_take(&lock);
    kept = tsearch(b, &blocks, memory_compare) != NULL;
    lock_release(&lock);
    return kept;
}

int memory_alloc(size_t bytes, size_t alignment, void **block)
{
    struct block *b;
    int error = memory_check_room(bytes, alignment);

    if (error)
        return error;
    b = calloc(1, sizeof *b);
    if (!b)
        return fail(MPI_ERR_NO_MEM, "no memory for %zu bytes", bytes);
    b->bytes = bytes ? bytes : 1;
    alignment = alignment < MEMORY_ALIGNMENT ? MEMORY_ALIGNMENT : alignment;
    b->at = heap_alloc(b->bytes, alignment, &b->extent);
    if (!b->at)
        b->at = plain_alloc(b->bytes, alignment);
    if (b->at && keep_account(b)) {
        *block = b->at;
        return MPI_SUCCESS;
    }
    memory_release(b);
    return fail(MPI_ERR_NO_MEM, "no memory for %zu bytes at a multiple of %zu", bytes, alignment);
}

int memory_free(void *at)
{
    struct block key = {.at = at}, **found, *b = NULL;

    if (!at) /* like free(): docs/TOLERANCES.md */
        return MPI_SUCCESS;
    lock_take(&lock);
    found = tfind(&key, &blocks, memory_compare);
    if (found) {
        b = *found;
        tdelete(b, &blocks, memory_compare);
    }
    lock_release(&lock);
    if (!b)
        return fail(MPI_ERR_BASE, "%p is not where a block of MPI_Alloc_mem begins, or it was freed", at);
    memory_release(b);
    return MPI_SUCCESS;
}
