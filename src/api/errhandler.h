/* Bodies of the error handler procedures (MPI-5.0 sections 9.3 and 9.5). */
#ifndef API_ERRHANDLER_H
#define API_ERRHANDLER_H

#include "comm/comm.h"
#include "file/file.h"

int api_comm_create_errhandler(MPI_Comm_errhandler_function *function, struct errhandler **errhandler);
int api_win_create_errhandler(MPI_Win_errhandler_function *function, struct errhandler **errhandler);
int api_file_create_errhandler(MPI_File_errhandler_function *function, struct errhandler **errhandler);
int api_session_create_errhandler(MPI_Session_errhandler_function *function, struct errhandler **errhandler);
int api_comm_call_errhandler(struct comm *comm, int code);
int api_file_call_errhandler(struct file *file, int code);
int api_session_call_errhandler(struct session *session, int code);

#endif
