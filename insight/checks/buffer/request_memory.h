/* request_memory: the memory that operations under way read and write. */
#ifndef INSIGHT_CHECKS_BUFFER_REQUEST_MEMORY_H
#define INSIGHT_CHECKS_BUFFER_REQUEST_MEMORY_H

#include "insight/objects/request_record.h"

/* The operation begins to use its buffer, or no longer uses it. */
void request_memory_take(struct request_record *r);
void request_memory_give_back(struct request_record *r);
/* Of the operations under way one whose memory meets these bytes and that writes it, or, for one that writes, uses it, and of which
 * `is_it` says so; NULL: none. Buffers of blocks and of partitions are not looked at. */
struct request_record *request_memory_meeting(uintptr_t low, uintptr_t high, bool is_written,
                                              bool (*is_it)(const struct span *span, const void *with),
                                              const void *with);
/* How many of those under way have blocks or partitions. */
extern int request_memory_parted;

#endif
