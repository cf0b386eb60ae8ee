/* physical: how much memory the system could still give this process. */
#ifndef MEMORY_PHYSICAL_H
#define MEMORY_PHYSICAL_H

#include <stdint.h>

/* Bytes, swap included, as the machine and the control groups of this process count them; UINT64_MAX when
 * nobody says. What others take meanwhile is not foreseen. */
uint64_t physical_available(void);
/* All that the machine has. */
uint64_t physical_installed(void);

#endif
