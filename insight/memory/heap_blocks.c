#include "insight/memory/memory_use.h"

#include <dlfcn.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    UNIT = 16, /* blocks begin at its multiples */
    INDEX_BITS = 17,
    SIZE_BITS = 36,
    LOOKED = 128, /* units before an address */
    SLACK = 32    /* bytes that a heap adds at most, if it adds few */
};

/* The address above index and unit, and one more than the size; 0: none. */
static _Atomic uint64_t blocks[1 << INDEX_BITS];
static _Atomic uintptr_t lowest = UINTPTR_MAX; /* of all; relaxed */

/* The C library's functions, or those of another heap. */
static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    size_t (*malloc_usable_size)(void *);
    void (*free)(void *);
} heap;

/* What is asked for while they are looked up; nobody gives it back. */
static alignas(16) char early[4096];
static size_t early_used;
static __thread bool is_looking __attribute__((tls_model("initial-exec")));

static _Atomic uint64_t *block_place(uintptr_t address)
{
    return &blocks[address / UNIT % (1 << INDEX_BITS)];
}

static uint64_t block_tag(uintptr_t address)
{
    return address / UNIT >> INDEX_BITS;
}

static void remember_block(const void *memory, size_t size)
{
    uintptr_t address = (uintptr_t)memory;

    if (memory && address % UNIT == 0 && size < (UINT64_C(1) << SIZE_BITS) - 1)
        atomic_store_explicit(block_place(address), block_tag(address) << SIZE_BITS | (size + 1),
                              memory_order_relaxed);
    if (memory && address < atomic_load_explicit(&lowest, memory_order_relaxed))
        atomic_store_explicit(&lowest, address, memory_order_relaxed);
}

/* One more than the size; 0: not known. */
static size_t size_at(uintptr_t address)
{
    uint64_t word = atomic_load_explicit(block_place(address), memory_order_relaxed);

    return word >> SIZE_BITS == block_tag(address) ? word & ((UINT64_C(1) << SIZE_BITS) - 1) : 0;
}

static void forget_block(const void *memory)
{
    if ((uintptr_t)memory % UNIT == 0 && size_at((uintptr_t)memory))
        atomic_store_explicit(block_place((uintptr_t)memory), 0, memory_order_relaxed);
}

/* What grew without the table's knowledge is as large as its heap says. */
static size_t known_size(uintptr_t start, size_t size)
{
    size_t usable = heap.malloc_usable_size ? heap.malloc_usable_size((void *)start) : size;

    return usable >= size && usable - size < SLACK ? size : usable;
}

static uintptr_t last_found; /* a block: buffers often lie in one */

static bool block_has(uintptr_t block, uintptr_t low, uintptr_t high)
{
    size_t size = size_at(block);

    return size > 0 && low >= block && high - block < size;
}

bool heap_blocks_begin_above(uintptr_t address)
{
    return address < atomic_load_explicit(&lowest, memory_order_relaxed);
}

bool heap_blocks_have(uintptr_t low, uintptr_t high)
{
    uintptr_t at = low - low % UNIT;

    if (heap_blocks_begin_above(low))
        return false;
    if (block_has(last_found, low, high))
        return true;
    if (!block_has(at, low, high))
        return false;
    last_found = at;
    return true;
}

bool heap_blocks_find(uintptr_t address, uintptr_t *start, uintptr_t *end)
{
    uintptr_t at = address - address % UNIT;

    for (int i = 0; i < LOOKED && at >= atomic_load_explicit(&lowest, memory_order_relaxed);
         i++, at -= UNIT) {
        size_t size = size_at(at);

        if (size == 0)
            continue;
        *start = at;
        *end = at + size - 1;
        if (address > *end || (address == *end && size > 1))
            return false; /* behind the block */
        *end = at + known_size(at, size - 1);
        last_found = at;
        return true;
    }
    return false;
}

static bool look_up(void)
{
    static const struct {
        const char *name;
        size_t offset;
    } names[] = {{"malloc", offsetof(typeof(heap), malloc)},
                 {"calloc", offsetof(typeof(heap), calloc)},
                 {"realloc", offsetof(typeof(heap), realloc)},
                 {"aligned_alloc", offsetof(typeof(heap), aligned_alloc)},
                 {"posix_memalign", offsetof(typeof(heap), posix_memalign)},
                 {"malloc_usable_size", offsetof(typeof(heap), malloc_usable_size)},
                 {"free", offsetof(typeof(heap), free)}};

    if (is_looking)
        return false;
    is_looking = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *function = dlsym(RTLD_NEXT, names[i].name);

        memcpy((char *)&heap + names[i].offset, &function, sizeof function);
    }
    is_looking = false;
    return heap.free != NULL;
}

static bool has_heap(void)
{
    return heap.free || look_up();
}

static void *give_early(size_t size)
{
    size_t at = early_used;

    if (size > sizeof early - at)
        return NULL;
    early_used = at + (size + UNIT - 1) / UNIT * UNIT;
    return early + at;
}

static bool is_early(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)early < sizeof early;
}

/* The names that the program calls. */
#define SHOWN(name) __asm__(name) __attribute__((visibility("default")))
void *heap_blocks_malloc(size_t size) SHOWN("malloc");
void *heap_blocks_calloc(size_t count, size_t size) SHOWN("calloc");
void *heap_blocks_aligned_alloc(size_t alignment, size_t size) SHOWN("aligned_alloc");
int heap_blocks_posix_memalign(void **memory, size_t alignment, size_t size) SHOWN("posix_memalign");
void heap_blocks_free(void *memory) SHOWN("free");
void *heap_blocks_realloc(void *memory, size_t size) SHOWN("realloc");

void *heap_blocks_malloc(size_t size)
{
    void *memory = has_heap() ? heap.malloc(size) : give_early(size);

    remember_block(memory, size);
    return memory;
}

void *heap_blocks_calloc(size_t count, size_t size)
{
    void *memory = has_heap() ? heap.calloc(count, size) : give_early(count * size);

    remember_block(memory, count * size); /* no overflow, since there is memory */
    return memory;
}

void *heap_blocks_aligned_alloc(size_t alignment, size_t size)
{
    void *memory = has_heap() ? heap.aligned_alloc(alignment, size) : NULL;

    remember_block(memory, size);
    return memory;
}

int heap_blocks_posix_memalign(void **memory, size_t alignment, size_t size)
{
    int error = has_heap() ? heap.posix_memalign(memory, alignment, size) : 12; /* ENOMEM */

    if (!error)
        remember_block(*memory, size);
    return error;
}

void heap_blocks_free(void *memory)
{
    if (!memory || is_early(memory) || !has_heap())
        return;
    if (memory_use_is_wanted)
        memory_use_freed((uintptr_t)memory, size_at((uintptr_t)memory), __builtin_return_address(0));
    forget_block(memory);
    heap.free(memory);
}

void *heap_blocks_realloc(void *memory, size_t size)
{
    size_t before = memory ? size_at((uintptr_t)memory) : 0;
    void *larger;

    if (is_early(memory)) {
        larger = malloc(size);
        if (larger)
            memcpy(larger, memory, size < sizeof early ? size : sizeof early);
        return larger;
    }
    if (!has_heap())
        return give_early(size);
    if (memory)
        forget_block(memory);
    larger = heap.realloc(memory, size);
    if (memory && larger != memory && (larger || size == 0) && memory_use_is_wanted)
        memory_use_freed((uintptr_t)memory, before, __builtin_return_address(0));
    if (larger)
        remember_block(larger, size);
    else if (before && size > 0)
        remember_block(memory, before - 1);
    return larger;
}
