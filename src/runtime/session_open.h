/* session_open: opening and closing sessions (MPI-5.0 section 11.3). session/session.h has a session as data,
 * making/session_psets.h its process sets. */
#ifndef RUNTIME_SESSION_OPEN_H
#define RUNTIME_SESSION_OPEN_H

#include "session/session.h"

/* Bodies of MPI_Session_init and MPI_Session_finalize. A NULL info offers nothing. */
int session_open(struct info *info, struct errhandler *errhandler, struct session **session);
int session_close(struct session *session);

#endif
