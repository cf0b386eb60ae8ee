/* machine_place: which parts of this host's machine the process is confined to, as the kernel tells. */
#ifndef BOOT_MACHINE_PLACE_H
#define BOOT_MACHINE_PLACE_H

#include <stdint.h>

/* From coarse to fine. A part of one level lies in one of the level before. */
enum machine_level {
    MACHINE_PACKAGE,
    MACHINE_NODE,  /* of memory */
    MACHINE_CACHE, /* of the third level */
    MACHINE_LEVELS
};

struct machine_place {
    int16_t part
        [MACHINE_LEVELS]; /* its number among all of its level; -1: the process may run in several, or the kernel does not say */
};

/* inkling_topology, where it is set, pretends another machine. */
struct machine_place machine_place_mine(void);

#endif
