/* mapping: which ranks a launcher has put on one node, as PMI-1 has it in the key PMI_process_mapping:
 *
 *     (vector,(first node,nodes,ranks per node),...)
 *
 * Ranks are assigned in order, block by block. After the last block the first one comes again.
 */
#ifndef BOOT_MAPPING_H
#define BOOT_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

/* node[rank] becomes the number of rank's node; false, with nothing written, if the text makes no sense. */
bool mapping_find(const char *text, int size, uint64_t *node);

#endif
