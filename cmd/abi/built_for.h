/* built_for: for which MPI a program was built, and which library it gets here.
 *
 * Programs for the ABI of Open MPI 4 and 5 or of MPICH (and of MPIs that share it) get a library of Inkling's with the names and the
 * ABI of theirs, from a folder that goes first in LD_LIBRARY_PATH. They then need what lies there and nothing of the other MPI.
 */
#ifndef CMD_ABI_BUILT_FOR_H
#define CMD_ABI_BUILT_FOR_H

#include "cmd/abi/elf_file.h"

#include <stdbool.h>

enum abi {
    ABI_NONE, /* no MPI, as far as can be seen */
    ABI_STANDARD,
    ABI_OPEN_MPI,
    ABI_MPICH
};

struct abi_found {
    enum abi abi;
    const char *of;        /* the MPI, in words */
    const char *library;   /* by this name; NULL: none */
    const char *needed_by; /* the path of the part that needs it */
    char *looked_at;       /* the program or library whose needs were looked at; NULL: nothing could be */
    const char *unseen;    /* why more may be needed than can be seen; NULL: all is seen */
    bool is_by_rpath;      /* an RPATH goes before LD_LIBRARY_PATH */
    struct closure closure;
};

/* Looks at the program that the words start: at the interpreter of a script, for Python at a module (python.h), and behind commands such as env
 * and numactl at the program that these start. path_variable: LD_LIBRARY_PATH of the program, or NULL. An error says why it can never
 * run here. */
int abi_find(const char *program, const struct words *argv, const char *path_variable,
             struct abi_found *found);

/* The path of a command, by itself or in PATH; NULL: there is none. */
char *abi_find_command(const char *name);
/* Whether a library of this name is an MPI's. */
bool abi_is_mpi(const char *library);
/* Of an MPI library for programs of another language: "Fortran" or "C++"; else NULL. */
const char *abi_language(const char *library);
/* The folder of Inkling's libraries of this ABI, and whether it has this one. */
char *abi_folder(enum abi abi);
bool abi_has(enum abi abi, const char *library);
/* Whether Inkling's library lacks versions of symbols that the parts of the program need; an error names one. */
int abi_check_versions(const struct abi_found *found);

#endif
