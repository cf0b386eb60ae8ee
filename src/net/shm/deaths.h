/* deaths: which processes of this job and host have died, as the host page says.
 *
 * A poller looks at one word. shm.c reports a process as lost once it has received all that it had sent.
 *
 * Lock: lane 0.
 */
#ifndef NET_SHM_DEATHS_H
#define NET_SHM_DEATHS_H

#include <stdbool.h>

/* Where the job survives deaths: begins to look. */
void deaths_open(void);

/* The local rank of a process that has died and was not taken yet; -1: none. */
int deaths_look(void);
void deaths_take(int local_rank);

#endif
