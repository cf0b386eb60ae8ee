/* unread_error: errors of calls on files that the program never looks at.
 *
 * Files begin with MPI_ERRORS_RETURN (MPI-5.0 section 14.7), so a program with a wrong argument may go on and never know. One that lets
 * go what a call returns, as the instruction behind the call shows, never calls MPI_Error_class or MPI_Error_string, and has set no error
 * handler for files, is told at its end of the errors that only a mistake makes. What may be the file system's is not among them.
 */
#ifndef INSIGHT_CHECKS_OBJECT_UNREAD_ERROR_H
#define INSIGHT_CHECKS_OBJECT_UNREAD_ERROR_H

#include "insight/call/intercept.h"

/* A call on a file has returned an error that does not end the job. */
void unread_error_keep(const struct intercept *call, int error);
/* The program asks what an error is. */
void unread_error_asked(struct intercept *call, int error);
/* The program ends. */
void unread_error_tell(void);

#endif
