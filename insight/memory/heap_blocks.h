/* heap_blocks: the blocks of the C library's heap, by functions that stand before its own: malloc, free and their like.
 *
 * A block is one word of a table, at a place that its address gives: who finds the place taken writes over it, so blocks may be
 * forgotten, and are never taken for others. The words are atomic, relaxed: one is complete in itself. An executable that has
 * functions of these names itself has them called, and no blocks are known.
 */
#ifndef INSIGHT_MEMORY_HEAP_BLOCKS_H
#define INSIGHT_MEMORY_HEAP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The block with this address in its first 2 KiB, as long as it was asked for; false: not known. */
bool heap_blocks_find(uintptr_t address, uintptr_t *start, uintptr_t *end);

#endif
