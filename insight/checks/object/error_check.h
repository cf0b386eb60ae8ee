/* error_check: what the library below calls an error, said with its place before the error handler has it.
 *
 * In place of MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT the library below has MPI_ERRORS_RETURN, so that its error comes back
 * here: it becomes a finding, and then the job ends as it would have. An error that the program's own handler gets, or that is
 * returned to it, is the program's to judge.
 */
#ifndef INSIGHT_CHECKS_OBJECT_ERROR_CHECK_H
#define INSIGHT_CHECKS_OBJECT_ERROR_CHECK_H

#include "insight/call/intercept.h"

/* Takes over the handlers that MPI_COMM_WORLD and MPI_COMM_SELF begin with. */
void error_check_start(void);
/* Returns whether the error ends the job. */
bool error_check_say(struct intercept *call, int error);
/* Calls the program's handler of MPI_COMM_WORLD where this thread's error, which was said, is for that one alone; without the lock. */
void error_check_call_handler(int error);
/* The new object's handler is that of `parent`; a window's is MPI_ERRORS_ARE_FATAL. */
void error_check_inherit(uint64_t parent, uint64_t child);
void error_check_take_win(MPI_Win win);
/* ... of a communicator that has no parent. */
void error_check_take_comm(MPI_Comm comm);
/* Whether a flush that returned this has left nothing under way: after an error of an access, too, which the program gets. */
bool error_check_has_flushed(int error);

#endif
