/* python: the library of mpi4py that a Python would load, found as Python finds modules, without running it: PYTHONPATH, the user's
 * folder, that of the virtual environment or the installation, and what their .pth files name. */
#ifndef CMD_ABI_PYTHON_H
#define CMD_ABI_PYTHON_H

#include "cmd/mpiexec/command_line/words.h"

#include <stdbool.h>

/* Whether the path is one of a Python. */
bool python_is(const char *program);
/* The path of mpi4py's library; NULL: there is none. The caller frees it. */
char *python_find_mpi4py(const char *python);

#endif
