/* neighbours: sees which processes of this job and host die, where a launcher other than Inkling's has started a job that survives that.
 *
 * A thread of each process waits for the ends of the others (pidfd_open(2)) and says on the host page who has ended without having
 * finalized. So it is said as long as one of them lives. It also ends those that others have taken for dead.
 */
#ifndef NET_SHM_NEIGHBOURS_H
#define NET_SHM_NEIGHBOURS_H

/* Where nobody else says it. Once local memory is open. */
int neighbours_open(void);
void neighbours_close(void);
/* Ends one that others have taken for dead, perhaps since it is stopped, so that it is dead to all. */
void neighbours_end(int local_rank);

#endif
