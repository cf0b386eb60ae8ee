/* heap: memory of this process that the other processes of its host can map, a part of the host's shared
 * file.
 *
 * The file is sparse and never shrinks. A block's pages are had from the system when it is taken (so that it
 * is an error now and not a SIGBUS later when there are none) and given back by a hole when enough of them
 * are free. Who still looks at a freed block of another process reads zeros, or what came there later.
 *
 * A heap is mapped at one place for good: the place is reserved at first use and mapped as far as it is
 * needed. The same holds for another process's heap, seen through a heap_view.
 *
 * Threads: any may call heap_alloc, heap_free and heap_view_at. Making and closing a view is its owner's.
 */
#ifndef MEMORY_HEAP_H
#define MEMORY_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_PAGE ((size_t)2 << 20) /* heaps begin and are mapped in such: large pages can be used */

/* A stretch of a file at a fixed place in memory. */
struct heap_view {
    int fd;
    uint64_t place;        /* where it begins in the file */
    size_t size;           /* all of it, whole HEAP_PAGEs; 0: there is none */
    unsigned char *base;   /* NULL: not reserved yet */
    _Atomic size_t mapped; /* how much of it, from the base on; release, and acquire in heap_view_at */
};

/* Where `bytes` at `offset` of it are in memory, mapped if need be; NULL when that cannot be. */
void *heap_view_at(struct heap_view *view, uint64_t offset, size_t bytes);
void heap_view_close(struct heap_view *view);

/* The own heap: `size` bytes (whole HEAP_PAGEs) at `place` of the file. At first use its address is stored to
 * *shown (release), for the others to see. Opening again while blocks of before are still in use keeps it as
 * it is. */
void heap_open(int fd, uint64_t place, size_t size, _Atomic uint64_t *shown);
/* Blocks in use stay where they are. */
void heap_close(void);

/* Whether other processes can map these bytes. Two compares; any thread. */
bool heap_holds(const void *at, size_t bytes);

struct extent;
/* NULL when the heap has no room for it or the system no pages; *extent names the block for heap_free. */
void *heap_alloc(size_t bytes, size_t alignment, struct extent **extent);
void heap_free(struct extent *extent);

#endif
