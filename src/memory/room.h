/* room: how much memory the system could still give this process. */
#ifndef MEMORY_ROOM_H
#define MEMORY_ROOM_H

#include <stdint.h>

/* Bytes, swap included, as the machine and the control groups of this process count them; UINT64_MAX when
 * nobody says. What others take meanwhile is not foreseen. */
uint64_t room_left(void);
/* All that the machine has. */
uint64_t room_installed(void);

#endif
