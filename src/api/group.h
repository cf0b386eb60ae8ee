/* Bodies of MPI_Group_X that only reshape arguments; the others are group/group.h's own. */
#ifndef API_GROUP_H
#define API_GROUP_H

#include "group/group.h"

int api_group_size(const struct group *group, int *size);
int api_group_rank(const struct group *group, int *rank);
int api_group_compare(const struct group *a, const struct group *b, int *result);

#endif
