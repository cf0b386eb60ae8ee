/* mapping: which ranks a launcher has put on one node, as PMI-1 says it in the key PMI_process_mapping:
 *
 *     (vector,(first node,nodes,ranks per node),...)
 *
 * Ranks are dealt out in order, block by block; when the blocks are used up they begin anew.
 */
#ifndef BOOT_MAPPING_H
#define BOOT_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

/* node[rank] becomes the number of rank's node; false, with nothing written, if the text makes no sense. */
bool mapping_find(const char *text, int size, uint64_t *node);

#endif
