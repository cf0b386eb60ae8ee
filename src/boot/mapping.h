/* mapping: which ranks a launcher has put on one node, as PMI-1 says it in the key PMI_process_mapping:
 *
 *     (vector,(first node,nodes,ranks per node),...)
 *
 * Ranks are dealt out in order, block by block; when the blocks are used up they begin anew. With it a
 * process asks for what its own node's ranks have to say, and not for everybody's.
 */
#ifndef BOOT_MAPPING_H
#define BOOT_MAPPING_H

#include <stdbool.h>

/* same[rank] becomes whether rank is on the node of `me`; false, with nothing written, if the text makes no
 * sense. */
bool mapping_find(const char *text, int me, int size, bool *same);

#endif
