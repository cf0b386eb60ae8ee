/* raise: what happens to an error that leaves the library (MPI-5.0 section 9.3).
 *
 * MPI_ERRORS_RETURN returns it. A user's handler is called without any lock, and then the error is returned.
 * MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT print one block (call, class, note, rank, host, communicator, the
 * program's stack) and end the job.
 */
#ifndef API_RAISE_H
#define API_RAISE_H

#include "object/object.h"

#include <stddef.h>

/* owner: a communicator, a session, a file or an error handler. NULL: MPI_COMM_SELF, or MPI_COMM_WORLD where the program
 * has set a handler there and none on MPI_COMM_SELF (docs/TOLERANCES.md); outside the World Model the initial error
 * handler. call: the failed call as text. Returns error if the handler returns. */
int raise_error(struct object *owner, int error, const char *call);

/* The stack of the calling thread outside this library: one indented line per frame, with file and line where
 * there is debug information. */
void raise_backtrace(char *text, size_t size);

#endif
