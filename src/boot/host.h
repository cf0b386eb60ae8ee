/* host: which processes of the job share this host's memory, when the launcher does not tell. */
#ifndef BOOT_HOST_H
#define BOOT_HOST_H

#include "boot/launcher.h"

#include <stdint.h>

/* Collective over the job: sets boot.local_rank, local_size, local and all_local from boot.rank and
 * boot.size, through one round of put, fence and get of the launcher. */
int host_find_neighbours(const struct launcher *launcher);

/* The local rank of a process of this job; -1: it is not on this host. */
int host_local_rank(int process);

/* A number that processes of the same host have in common, and those of others most likely not; all processes
 * see the same ones. */
uint64_t host_key(int process);
/* The same of this host, comparable between jobs. */
uint64_t host_mine(void);

/* The job's hosts, in the order of their first ranks, as "name:processes,...". To be freed. */
int host_list(char **list);

/* A number for a text: jobs are known by that of their name. */
uint64_t host_hash(const char *text);

#endif
