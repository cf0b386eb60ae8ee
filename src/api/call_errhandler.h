/* call_errhandler: bodies of the error handler procedures (MPI-5.0 sections 9.3 and 9.5). */
#ifndef API_CALL_ERRHANDLER_H
#define API_CALL_ERRHANDLER_H

#include "comm/comm.h"
#include "file/file.h"
#include "win/win.h"

int call_errhandler_of_comm(struct comm *comm, int code);
int call_errhandler_of_file(struct file *file, int code);
int call_errhandler_of_win(struct win *win, int code);
int call_errhandler_of_session(struct session *session, int code);

#endif
