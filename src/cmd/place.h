/* place: where Inkling is, found from where the running command lies, so that a build tree and an installed
 * tree work in place and may be moved. */
#ifndef CMD_PLACE_H
#define CMD_PLACE_H

#include <stdbool.h>

enum {
    PLACE_SIZE = 4096
};

struct install_place {
    char bin[PLACE_SIZE], lib[PLACE_SIZE], include[PLACE_SIZE];
    bool in_build_tree;
};

/* False when the library or mpi.h is not where it belongs; the directories are then what they should be. */
bool place_find(struct install_place *place);

#endif
