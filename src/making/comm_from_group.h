/* comm_from_group: communicators without a parent (MPI-5.0 sections 7.4.2 and 7.6.2).
 *
 * The members make a temporary parent for the length of the call (and the leaders of
 * MPI_Intercomm_create_from_groups another). Its context is a hash of the string tag, the members, and how
 * often both have been used together before. All members know these without communication.
 */
#ifndef MAKING_COMM_FROM_GROUP_H
#define MAKING_COMM_FROM_GROUP_H

#include "comm/comm.h"

/* Bodies of MPI_Comm_create_from_group and MPI_Intercomm_create_from_groups. A NULL info offers nothing; a
 * NULL *newcomm is MPI_COMM_NULL. */
int comm_create_from_group(struct group *group, const char *stringtag, struct info *info,
                           struct errhandler *errhandler, struct comm **newcomm);
/* The remote group is significant at the local leader only; elsewhere it may be NULL. */
int comm_create_inter_from_groups(struct group *local, int local_leader, struct group *remote,
                                  int remote_leader, const char *stringtag, struct info *info,
                                  struct errhandler *errhandler, struct comm **newcomm);

#endif
