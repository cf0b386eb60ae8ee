#include "memory/memory.h"

#include "base/lock.h"
#include "memory/heap.h"
#include "plain/fail.h"

#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

static uint64_t physical_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Free pages, pages that the kernel would reclaim, and swap. */
static uint64_t left_on_machine(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128], name[64];
    uint64_t kib, left = 0;
    bool found = false;

    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%63[^:]: %" SCNu64, name, &kib) != 2)
            continue;
        found |= strcmp(name, "MemAvailable") == 0;
        if (strcmp(name, "MemAvailable") == 0 || strcmp(name, "SwapFree") == 0)
            left += kib * 1024;
    }
    if (file)
        fclose(file);
    return found ? left : UINT64_MAX;
}

/* The number in folder/name; UINT64_MAX: there is none, or it is the word max. */
static uint64_t physical_read_number(const char *folder, const char *name)
{
    char path[PATH_MAX];
    uint64_t number = UINT64_MAX;
    FILE *file;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return UINT64_MAX;
    file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    if (fscanf(file, "%" SCNu64, &number) != 1)
        number = UINT64_MAX;
    fclose(file);
    return number;
}

/* What a control group still allows its processes. File pages count as used, although the kernel would
 * reclaim them. */
static uint64_t left_in(const char *folder, const char *limit_name, const char *used_name)
{
    uint64_t limit = physical_read_number(folder, limit_name), used = physical_read_number(folder, used_name);

    if (limit == UINT64_MAX || used == UINT64_MAX)
        return UINT64_MAX;
    return limit > used ? limit - used : 0;
}

/* The least that this process's group and the groups around it allow, up to the root. */
static uint64_t left_in_groups(void)
{
    char line[PATH_MAX], folder[PATH_MAX + 64];
    FILE *file = fopen("/proc/self/cgroup", "re");
    uint64_t left = left_in("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes");

    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::/", 4))
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(folder, sizeof folder, "/sys/fs/cgroup%s", line + 3);
        while (strlen(folder) > strlen("/sys/fs/cgroup")) {
            left = physical_smaller(left, left_in(folder, "memory.max", "memory.current"));
            *strrchr(folder, '/') = '\0';
        }
        left = physical_smaller(left, left_in("/sys/fs/cgroup", "memory.max", "memory.current"));
    }
    if (file)
        fclose(file);
    return left;
}

uint64_t memory_available(void)
{
    return physical_smaller(left_on_machine(), left_in_groups());
}

uint64_t memory_installed(void)
{
    struct sysinfo machine;

    if (sysinfo(&machine))
        return UINT64_MAX;
    return ((uint64_t)machine.totalram + machine.totalswap) * machine.mem_unit;
}

/* memory_available costs more than a small block. */
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
    uint64_t left = bytes < ASKED_FROM && alignment < ASKED_FROM ? UINT64_MAX : memory_available();

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
