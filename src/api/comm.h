/* Bodies of MPI_Comm_X that only reshape arguments; the others are comm/comm.h's and comm/make/make.h's own. */
#ifndef API_COMM_H
#define API_COMM_H

#include "comm/comm.h"

int api_comm_size(const struct comm *comm, int *size);
int api_comm_rank(const struct comm *comm, int *rank);
int api_comm_test_inter(const struct comm *comm, int *flag);
int api_comm_remote_size(const struct comm *comm, int *size);
int api_comm_compare(const struct comm *a, const struct comm *b, int *result);
/* Raw: MPI_COMM_NULL has a name. */
int api_comm_get_name(MPI_Comm comm, char *name, int *length);
/* peer and remote_leader count at the local leader alone. */
int api_intercomm_create(struct comm *local, int local_leader, MPI_Comm peer, int remote_leader, int tag,
                         struct comm **newcomm);
/* port and info count at the root alone: any values will do elsewhere. */
int api_comm_accept(const char *port, MPI_Info info, int root, struct comm *comm, struct comm **newcomm);
int api_comm_connect(const char *port, MPI_Info info, int root, struct comm *comm, struct comm **newcomm);

/* The remote group counts at the local leader alone: any value will do elsewhere. */
int api_intercomm_create_from_groups(struct group *local, int local_leader, MPI_Group remote,
                                     int remote_leader, const char *stringtag, struct info *info,
                                     struct errhandler *errhandler, struct comm **newcomm);

#endif
