/* physical: how much memory the system can still give this process. */
#ifndef MEMORY_PHYSICAL_H
#define MEMORY_PHYSICAL_H

#include <stdint.h>

/* Bytes, swap included, as the machine and the control groups of this process count them; UINT64_MAX:
 * unknown. It does not foresee what others take meanwhile. */
uint64_t physical_available(void);
/* All memory of the machine, swap included; UINT64_MAX: unknown. */
uint64_t physical_installed(void);

#endif
