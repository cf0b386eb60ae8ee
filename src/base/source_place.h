/* source_place: where addresses of a program or library are in its source, as addr2line says: that of binutils or of
 * elfutils. */
#ifndef BASE_SOURCE_PLACE_H
#define BASE_SOURCE_PLACE_H

#include <stdint.h>

struct source_place {
    char file[512], function[128];
    int number; /* of the line; 0: unknown, and then file is empty */
};

/* offset: of addresses from where the module is loaded. Sets *place[i], zeroed before, for each of `count`. */
void source_place_find(const char *module, const uint64_t *offset, struct source_place **place, int count);

#endif
