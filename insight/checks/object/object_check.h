/* object_check: objects that the program made and left behind when it calls MPI_Finalize. */
#ifndef INSIGHT_CHECKS_OBJECT_OBJECT_CHECK_H
#define INSIGHT_CHECKS_OBJECT_OBJECT_CHECK_H

#include "insight/call/intercept.h"
#include "insight/objects/comm_record.h"

void object_check_leaks(struct intercept *call);

/* comm_check: communicators, and a number for each that all its members work out alike, without a message.
 *
 * The number is a hash of the parent's, of how many objects have been made from it, and of the members. So ranks find on the
 * board (board.h) what the others did on the same communicator. Groups of different sessions, or of a session and of MPI_COMM_WORLD,
 * may not be compared (MPI-5.0 section 11.3), so the members of a communicator that MPI_Comm_create_from_group has made, or that
 * comes from one, tell each other over it who they are and what its number is, before the program has it.
 */

/* After MPI_Init. */
void comm_check_start(void);
/* A communicator that the library below made for a window or file: only its number is used. */
uint64_t comm_check_derive(struct comm_record *comm);
/* The members of a group of a window as ranks of MPI_COMM_WORLD, in memory of the caller's; NULL: not known. */
int *comm_check_group(MPI_Group group, MPI_Win win, const struct comm_record *members, int *size);
/* Those that MPIX_Comm_ishrink has made are looked at once their requests are complete. */
void comm_check_learn_shrunk(void);
/* MPI_Finalize as a collective of MPI_COMM_WORLD. */
void comm_check_enter_finalize(struct intercept *call, struct comm_record *world);

/* error_check: what the library below calls an error, said with its place before the error handler has it.
 *
 * In place of MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT the library below has MPI_ERRORS_RETURN, so that its error comes back
 * here: it becomes a finding, and then the job ends as it would have. An error that the program's own handler gets, or that is
 * returned to it, is the program's to judge.
 */

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

/* Communicators, groups and windows of different sessions, or of a session and of the World Model, do not meet in one
 * call (MPI-5.0 section 12.3.1). */

/* Whether the first communicator, group or window of a call is derived from a session. */
bool object_session_is_of_session(const struct intercept *call);
void object_session_mixed(struct intercept *call);
/* What a call has made is of the session that its arguments are of. */
void object_session_inherit(const struct intercept *call);

/* tolerance_check: what the standard forbids or does not mention in a single call, and libraries accept all the same: the rows
 * of docs/TOLERANCES.md that can be seen in the arguments, and in what was called before. They are notes, which do not change the exit code. */

/* Errors of calls on files that the program never looks at.
 *
 * Files begin with MPI_ERRORS_RETURN (MPI-5.0 section 14.7), so a program with a wrong argument may go on and never know. One that lets
 * go what a call returns, as the instruction behind the call shows, never calls MPI_Error_class or MPI_Error_string, and has set no error
 * handler for files, is told at its end of the errors that only a mistake makes. What may be the file system's is not among them.
 */

/* The program asks what an error is. */
void error_unread_asked(struct intercept *call, int error);
/* The program ends. */
void error_unread_tell(void);

#endif
