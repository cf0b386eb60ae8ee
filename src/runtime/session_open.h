/* session_open: opening and closing sessions (MPI-5.0 section 11.3). What a session is: session.h; the process sets
 * that it knows: session_psets.h. */
#ifndef RUNTIME_SESSION_OPEN_H
#define RUNTIME_SESSION_OPEN_H

#include "runtime/session.h"

/* Bodies of MPI_Session_init and MPI_Session_finalize. A NULL info offers nothing. */
int session_open(struct info *info, struct errhandler *errhandler, struct session **session);
int session_close(struct session *session);

#endif
