/* session_psets: the process sets of sessions (MPI-5.0 sections 11.3.2 and 7.3.2): mpi://WORLD, the processes that were
 * started together, mpi://SELF, and those that a PMIx launcher has given names to (prterun --pset) and that this
 * process is in. */
#ifndef RUNTIME_SESSION_PSETS_H
#define RUNTIME_SESSION_PSETS_H

#include "group/group.h"

/* Bodies of MPI_X. */
int session_count_psets(struct session *session, struct info *info, int *count);
int session_get_nth_pset(struct session *session, struct info *info, int n, int *length, char *name);
int session_get_pset_info(struct session *session, const char *name, struct info **info);
int session_group_from_pset(struct session *session, const char *name, struct group **group);

/* What tells the set that this process means by the name from all others, and is the same on its members;
 * -1: there is none of this name. */
int64_t session_pset_identity(const char *name);

#endif
