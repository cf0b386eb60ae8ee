/* closure: the libraries that a program needs, and those that these need, as the loader of the C library finds them: RPATH,
 * LD_LIBRARY_PATH, RUNPATH, the cache of ldconfig, and the system's folders. What a program opens itself (dlopen) is not among them.
 */
#ifndef CMD_ABI_CLOSURE_H
#define CMD_ABI_CLOSURE_H

#include "cmd/abi/elf_file.h"

/* The program, or one of the libraries. */
struct closure_part {
    const char *name; /* as it is needed */
    char *path;       /* NULL: not found, or not looked for */
    int needed_by;    /* the number of another part; -1: this is the program */
    bool is_by_rpath; /* an RPATH gave the path, which LD_LIBRARY_PATH does not change */
    struct elf_file file;
};

struct closure {
    struct closure_part *part;
    int count, room;
    const char *path_variable; /* LD_LIBRARY_PATH of the program; NULL: not set */
};

/* Adds the program and what it needs. Of a library for which is_leaf is true it adds only the name and the path. */
void closure_add(struct closure *c, const char *program, bool (*is_leaf)(const char *name));

#endif
