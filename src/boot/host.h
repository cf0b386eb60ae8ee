/* host: which processes of the job share this host's memory, where the launcher does not say. */
#ifndef BOOT_HOST_H
#define BOOT_HOST_H

#include "boot/launcher.h"
#include "plain/host_id.h"

/* Collective over the job: sets boot.local_rank, local_size, local and all_local from boot.rank and
 * boot.size, with one round of the launcher's put, fence and get. */
int host_find_neighbours(const struct launcher *launcher);

/* The local rank of a process of this job; -1: it is not on this host. */
int host_local_rank(int process);

/* A number that is equal for processes of the same host, and most likely differs for others. All processes of
 * the job see the same numbers; that of this host is host_mine. */
uint64_t host_key(int process);

/* The job's hosts in the order of their first ranks, as "name:processes,...", but for the processes that are dead (NULL: none is), by
 * number, and hosts of these alone. The caller frees it. */
int host_list(const bool *is_dead, char **list);

#endif
