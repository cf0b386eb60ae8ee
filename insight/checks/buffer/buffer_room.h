/* buffer_room: whether a call's buffer is as long as its count says (MPI-5.0 section 3.2: the buffer has room for all elements, also
 * where fewer arrive).
 *
 * Known are blocks of the heap, memory of MPI_Alloc_mem, and variables of functions: these must end before the address that their
 * function returns to.
 */
#ifndef INSIGHT_CHECKS_BUFFER_BUFFER_ROOM_H
#define INSIGHT_CHECKS_BUFFER_BUFFER_ROOM_H

#include "insight/call/intercept.h"

void buffer_room_check(struct intercept *call, const void *buffer, int64_t count, MPI_Datatype type);

#endif
