/* heap: memory of this process that the other processes of its host can map. It is a part of the host's
 * shared file.
 *
 * The file is sparse and never shrinks. Taking a block allocates its pages, so a lack of pages is an error
 * then and not a SIGBUS later. When enough pages are free, a hole in the file returns them to the system. A
 * process that still reads a freed block of another one sees zeros, or what was put there later.
 *
 * A heap never moves: its address range is reserved at first use and mapped as far as needed. The same holds
 * for another process's heap, which a heap_view maps.
 *
 * Threads: any may call heap_alloc, heap_free and heap_view_at. A view is made and closed by its owner.
 */
#ifndef MEMORY_HEAP_H
#define MEMORY_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_PAGE ((size_t)2 << 20) /* unit of heaps' places and sizes: large pages fit */

/* A range of a file, mapped at a fixed address. */
struct heap_view {
    int fd;
    uint64_t place;        /* its offset in the file */
    size_t size;           /* whole HEAP_PAGEs; 0: there is no heap */
    unsigned char *base;   /* NULL: not reserved yet */
    _Atomic size_t mapped; /* bytes mapped, from base on; release, and acquire in heap_view_at */
};

/* The address of `bytes` at `offset`, mapped if need be; NULL: they cannot be mapped. */
void *heap_view_at(struct heap_view *view, uint64_t offset, size_t bytes);
void heap_view_close(struct heap_view *view);

/* This process's heap: `size` bytes (whole HEAP_PAGEs) at `place` in the file. At first use its address is
 * stored to *shown (release), for the other processes. If blocks of an earlier heap_open are still in use,
 * that heap stays. */
void heap_open(int fd, uint64_t place, size_t size, _Atomic uint64_t *shown);
/* Blocks in use stay valid. */
void heap_close(void);

/* Whether other processes can map these bytes. Two compares; any thread. */
bool heap_holds(const void *at, size_t bytes);

/* Bytes that it has and that are in use; any thread. */
void heap_get_use(uint64_t *size, uint64_t *used);

struct extent;
/* NULL: the heap has no room, or the system no pages. *extent identifies the block for heap_free. */
void *heap_alloc(size_t bytes, size_t alignment, struct extent **extent);
void heap_free(struct extent *extent);

#endif
