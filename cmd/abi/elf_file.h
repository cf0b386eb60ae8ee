/* elf_file: what the headers of a program or library say of it: which libraries it needs, and its symbols; and its closure, all the
 * libraries that it needs in the end. A reader of its own, of
 * ELF with 64 bits, since mpiexec looks at every program that it starts and may not wait for a library of readers. Every offset is
 * checked: a broken file is no program. */
#ifndef CMD_ABI_ELF_FILE_H
#define CMD_ABI_ELF_FILE_H

#include "cmd/mpiexec/command_line/words.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

/* Texts lie in the file, which stays mapped; NULL: the file has none. */
struct elf_file {
    const unsigned char *bytes;
    size_t size;
    bool is_dynamic; /* it has a dynamic section */
    const char *interpreter, *rpath, *runpath;
    struct words needed;
};

enum elf_what {
    ELF_UNDEFINED, /* what others must define, but for weak symbols */
    ELF_DEFINED,
    ELF_UNSUPPORTED /* defined only to say that it is not supported: in a section of that name, see foreign/standard.h */
};

/* False: it cannot be read, or is no program or library for this kind of machine. */
bool elf_file_open(const char *path, struct elf_file *file);
void elf_file_close(struct elf_file *file);

/* Adds the names of symbols of the dynamic table. */
void elf_file_list(const struct elf_file *file, enum elf_what what, struct words *names);
/* Whether the table of all symbols, which `strip` takes away, defines the name. */
bool elf_file_contains(const struct elf_file *file, const char *name);

/* Adds the versions of symbols that the file needs of a library, and those that it has itself. */
void elf_file_needed_versions(const struct elf_file *file, const char *library, struct words *versions);
void elf_file_own_versions(const struct elf_file *file, struct words *versions);

/* The closure: the libraries that a program needs, and those that these need, as the loader of the C library finds them: RPATH,
 * LD_LIBRARY_PATH, RUNPATH, the cache of ldconfig, and the system's folders. What a program opens itself (dlopen) is not among them. */

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
void elf_closure_add(struct closure *c, const char *program, bool (*is_leaf)(const char *name));

#endif
