/* session_psets: the process sets of sessions (MPI-5.0 sections 11.3.2 and 7.3.2): mpi://WORLD, the processes
 * that were started together; mpi://SELF; and those that a PMIx launcher has named (prterun --pset) and that
 * contain this process. */
#ifndef MAKING_SESSION_PSETS_H
#define MAKING_SESSION_PSETS_H

#include "group/group.h"

/* Bodies of MPI_Session_get_num_psets, MPI_Session_get_nth_pset, MPI_Session_get_pset_info and
 * MPI_Group_from_session_pset. */
int session_count_psets(struct session *session, struct info *info, int *count);
int session_get_nth_pset(struct session *session, struct info *info, int n, int *length, char *name);
int session_get_pset_info(struct session *session, const char *name, struct info **info);
int session_group_from_pset(struct session *session, const char *name, struct group **group);

/* Identifies the set of this name in this process: equal on all its members, and different from other sets.
 * -1: there is no set of this name. */
int64_t session_pset_identity(const char *name);

#endif
