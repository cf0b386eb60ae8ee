/* child_job: the jobs that this process, as the root of a spawn, still holds. Their processes do not outlive it until the
 * intercommunicator with them is disconnected, or MPI_Finalize.
 */
#ifndef DYNAMIC_CHILD_JOB_H
#define DYNAMIC_CHILD_JOB_H

#include <stdint.h>

/* First member of what is allocated for a spawn. */
struct child_job {
    struct child_job *next;
    uint64_t context; /* of the intercommunicator */
    int control;      /* the socket to the job's mpiexec */
};

/* Takes ownership. Thread-safe, like the others. */
void child_job_keep(struct child_job *child_job, uint64_t context);
/* The processes that were spawned with the intercommunicator of this context, if any, no longer depend on this one. */
void child_job_part(uint64_t context);
/* In MPI_Finalize: no spawned process depends on this one any more. */
void child_job_part_all(void);

#endif
