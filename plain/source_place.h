/* source_place: where addresses of a program or library are in its source, as addr2line says: that of binutils or of
 * elfutils. */
#ifndef PLAIN_SOURCE_PLACE_H
#define PLAIN_SOURCE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SOURCE_PLACE_RANK_MS = 3000, /* how long a rank of a running job waits for an answer, ... */
    SOURCE_PLACE_REPORT_MS =
        60000 /* ... and who writes a report: all debug information of a program may be read first */
};

struct source_place {
    char file[512], function[128];
    int number; /* of the line; 0: unknown, and then file is empty */
};

/* An offset of this kind is no address but a place in a script, which is the module. It takes no more bits than an address does. */
#define SOURCE_PLACE_SCRIPT (UINT64_C(1) << 47)

/* In bits 24 to 46 the line where its function begins, 0 if it is outside all functions, and below the line itself. */
static inline uint64_t source_place_in_script(int first, int line)
{
    return SOURCE_PLACE_SCRIPT | (uint64_t)(first & 0x7fffff) << 24 | (uint64_t)(line & 0xffffff);
}

/* The file that is loaded at an address of this process, PATH_MAX bytes, and where in it the call before that address is. The
 * executable's, too, where it has another name: it was found by PATH, or the program has left its folder. False: it is none. */
bool source_place_module(const void *address, char *path, uint64_t *offset);

/* offset: of addresses from where the module is loaded. Sets *place[i], zeroed before, for each of `count`. Runs a
 * command that PATH leads to: not for a program with more rights than the user who started it (plain/privilege.h).
 * False: no answer came within most_ms; the command has been killed. */
bool source_place_find(const char *module, const uint64_t *offset, struct source_place **place, int count,
                       int most_ms);

#endif
