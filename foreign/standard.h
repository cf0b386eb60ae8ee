/* standard: the standard ABI's mpi.h, for its types and constants. What it declares is never called by name, since those names are the
 * foreign ABI's here: real.h has the procedures. */
#ifndef FOREIGN_STANDARD_H
#define FOREIGN_STANDARD_H

#define MPI_INKLING_ALLOW_DEPRECATED
#define INKLING_NO_F2C
#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FOREIGN_EXPORTED __attribute__((visibility("default")))
/* Of a function that only says that it is not supported. `inkling can-run` finds it by the name of the section. */
#define FOREIGN_UNSUPPORTED __attribute__((section("inkling_unsupported")))

#endif
