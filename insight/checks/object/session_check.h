/* session_check: communicators, groups and windows of different sessions, or of a session and of the World Model, do not meet in one
 * call (MPI-5.0 section 12.3.1). */
#ifndef INSIGHT_CHECKS_OBJECT_SESSION_CHECK_H
#define INSIGHT_CHECKS_OBJECT_SESSION_CHECK_H

#include "insight/call/intercept.h"

/* Whether the first communicator, group or window of a call is derived from a session. */
bool session_check_is_of_session(const struct intercept *call);
void session_check_mixed(struct intercept *call);
/* What a call has made is of the session that its arguments are of. */
void session_check_inherit(const struct intercept *call);

#endif
