/* session: opening and closing sessions, and what one can ask and make in them (MPI-5.0 sections 11.3, 7.3.2,
 * 7.4.2, 7.6.2).
 *
 * Process sets are mpi://WORLD, the processes that were started together, mpi://SELF, and those that a PMIx
 * launcher has given names to (prterun --pset) and that this process is in.
 *
 * MPI_Comm_create_from_group has no parent communicator. Its members make one for themselves, for the length
 * of the call (and the leaders of MPI_Intercomm_create_from_groups another): its context is a hash of the
 * string tag, the members and how many times they have come here with both before, which all of them know
 * without asking.
 */
#ifndef WORLD_SESSION_H
#define WORLD_SESSION_H

#include "comm/comm.h"

/* Bodies of MPI_X. A NULL info offers nothing; a NULL *newcomm is MPI_COMM_NULL. */
int session_open(struct info *info, struct errhandler *errhandler, struct session **session);
int session_close(struct session *session);
int session_count_psets(struct session *session, struct info *info, int *count);
int session_get_nth_pset(struct session *session, struct info *info, int n, int *length, char *name);
int session_get_pset_info(struct session *session, const char *name, struct info **info);
int group_from_session_pset(struct session *session, const char *name, struct group **group);
/* What tells the set that this process means by the name from all others, and is the same on its members;
 * -1: there is none of this name. */
int64_t session_pset_identity(const char *name);

int comm_create_from_group(struct group *group, const char *stringtag, struct info *info,
                           struct errhandler *errhandler, struct comm **newcomm);
/* The remote group may be NULL but at the local leader. */
int intercomm_create_from_groups(struct group *local, int local_leader, struct group *remote,
                                 int remote_leader, const char *stringtag, struct info *info,
                                 struct errhandler *errhandler, struct comm **newcomm);

#endif
