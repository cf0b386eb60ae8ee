/* python: the module by which a Python would load an MPI, found as Python finds modules, without running it: in the folder of the script and
 * those of PYTHONPATH mpi4py or another library that needs an MPI; mpi4py in the user's folder, that of the virtual environment or the
 * installation, and what their .pth files name.
 */
#ifndef CMD_ABI_PYTHON_H
#define CMD_ABI_PYTHON_H

#include "cmd/mpiexec/command_line/words.h"

#include <stdbool.h>

/* Whether the path is one of a Python. */
bool python_is(const char *program);
/* The path of the module's library; NULL: there is none. argv: the whole command. The caller frees it. */
char *python_find_mpi(const char *python, const struct words *argv);
/* By what name the program knows this module. */
const char *python_name_of(const char *module);

#endif
