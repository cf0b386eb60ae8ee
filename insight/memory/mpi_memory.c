#include "insight/memory/memory_use.h"

#include <insight/checks.h>
#include <stdlib.h>
#include <string.h>

/* Sorted by address. */
static struct region {
    uintptr_t begin, end;
    uint64_t win; /* 0: of MPI_Alloc_mem */
    enum memory_maker maker;
} * region;
static int regions, room;
static bool is_lost;

static int find_region(uintptr_t address)
{
    int low = 0, high = regions;

    while (low < high) {
        int middle = (low + high) / 2;

        if (region[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1; /* the last that begins at or before */
}

enum memory_maker mpi_memory_at(uintptr_t address)
{
    int i = find_region(address);

    return i >= 0 && address < region[i].end ? region[i].maker : MEMORY_NOT_OF_MPI;
}

bool mpi_memory_find_allocated(uintptr_t address, uintptr_t *end)
{
    int i = find_region(address);

    if (i < 0 || address >= region[i].end || region[i].maker != MEMORY_ALLOC_MEM)
        return false;
    *end = region[i].end;
    return true;
}

bool mpi_memory_is_there(void)
{
    return regions > 0;
}

bool mpi_memory_is_lost(void)
{
    return is_lost;
}

static bool grow(void)
{
    int wanted = room ? 2 * room : 64;
    struct region *larger = regions < room ? region : realloc(region, (size_t)wanted * sizeof *region);

    if (!larger) {
        is_lost = true;
        return false;
    }
    if (regions == room)
        room = wanted;
    region = larger;
    return true;
}

static void add_region(const void *base, int64_t size, uint64_t win, enum memory_maker maker)
{
    int i = find_region((uintptr_t)base) + 1;

    if (!base || size <= 0 || !grow())
        return;
    memmove(&region[i + 1], &region[i], (size_t)(regions++ - i) * sizeof *region);
    region[i] = (struct region){(uintptr_t)base, (uintptr_t)base + (uintptr_t)size, win, maker};
}

static void remove_region(int i)
{
    memmove(&region[i], &region[i + 1], (size_t)(--regions - i) * sizeof *region);
}

/* Before what frees memory. */
void mpi_memory_before(struct intercept *call)
{
    int i;

    if (call->procedure->family == FAMILY_MEMORY_FREE) {
        i = find_region((uintptr_t)intercept_argument(call, AT_BASE));
        if (i >= 0 && region[i].begin == (uintptr_t)intercept_argument(call, AT_BASE))
            remove_region(i);
    } else if (call->procedure->family == FAMILY_WIN_FREE) {
        const uint64_t *win = (const uint64_t *)(intptr_t)intercept_argument(call, AT_WIN);

        for (i = regions - 1; win && i >= 0; i--)
            if (region[i].win == *win)
                remove_region(i);
    }
}

/* The memory of another rank of the host, as this one sees it. */
static void add_neighbours(const struct intercept *call)
{
    void *const *base = (void *const *)(intptr_t)intercept_argument(call, AT_BASE_OUT);
    MPI_Aint *size = (MPI_Aint *)(intptr_t)intercept_argument(call, AT_SIZE);

    if (base && size && mpi_memory_at((uintptr_t)*base) == MEMORY_NOT_OF_MPI)
        add_region(*base, *size, (uint64_t)intercept_argument(call, AT_WIN), MEMORY_WIN_ALLOCATE_SHARED);
}

/* After what has made some. */
void mpi_memory_after(struct intercept *call)
{
    enum family family = call->procedure->family;
    bool is_shared;

    if (family != FAMILY_MEMORY_MAKE && family != FAMILY_WIN_MAKE && family != FAMILY_WIN_QUERY)
        return;
    if (family == FAMILY_WIN_QUERY) {
        add_neighbours(call);
        return;
    }
    if (!intercept_has(call, AT_BASE_OUT))
        return;
    is_shared = strstr(call->procedure->name, "_shared") != NULL;
    add_region(*(void **)(intptr_t)intercept_argument(call, AT_BASE_OUT), intercept_argument(call, AT_SIZE),
               family == FAMILY_WIN_MAKE ? *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW) : 0,
               family == FAMILY_MEMORY_MAKE ? MEMORY_ALLOC_MEM
               : is_shared                  ? MEMORY_WIN_ALLOCATE_SHARED
                                            : MEMORY_WIN_ALLOCATE);
}
