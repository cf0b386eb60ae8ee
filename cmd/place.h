/* place: where Inkling is installed, found from the path of the running command. So a build tree and an
 * installed tree work in place and may be moved. */
#ifndef CMD_PLACE_H
#define CMD_PLACE_H

#include <stdbool.h>

enum {
    PLACE_SIZE = 4096
};

struct install_place {
    char bin[PLACE_SIZE], lib[PLACE_SIZE], include[PLACE_SIZE], share[PLACE_SIZE];
    bool in_build_tree;
};

/* False when the library or mpi.h is not in its place. The directories are then where they should be. */
bool place_find(struct install_place *place);

#endif
