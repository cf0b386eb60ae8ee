#include "dynamic/dynamic.h"

#include "base/live.h"
#include "base/lock.h"
#include "boot/spawn_order.h"
#include "coll/coll.h"
#include "dynamic/dynamic.h"
#include "making/make.h"
#include "p2p/lost.h"
#include "p2p/p2p.h"

#include <stdlib.h>

static struct lock lock = LOCK_INIT; /* guards the list; always taken */
static struct child_job *child_jobs;

void disconnect_keep_child(struct child_job *child_job, uint64_t context)
{
    child_job->context = context;
    live_add(LIVE_CHILD_JOB, 1);
    lock_always_take(&lock);
    child_job->next = child_jobs;
    child_jobs = child_job;
    lock_always_release(&lock);
}

static void child_job_end(struct child_job *child_job)
{
    spawn_let_go(child_job->control);
    free(child_job);
    live_add(LIVE_CHILD_JOB, -1);
}

void disconnect_child(uint64_t context)
{
    lock_always_take(&lock);
    for (struct child_job **w = &child_jobs; *w; w = &(*w)->next) {
        struct child_job *child_job = *w;

        if (child_job->context != context)
            continue;
        *w = child_job->next;
        child_job_end(child_job);
        break;
    }
    lock_always_release(&lock);
}

void disconnect_children(void)
{
    lock_always_take(&lock);
    for (struct child_job *w = child_jobs, *next; w; w = next) {
        next = w->next;
        child_job_end(w);
    }
    child_jobs = NULL;
    lock_always_release(&lock);
}

/* All communication is complete and matched (MPI-5.0 section 11.10.4); the barrier shows that on every
 * rank. Where the job survives deaths, a loss ends the barrier: of who has died, or of who has left it and ended already. */
int dynamic_disconnect(struct comm *comm)
{
    int error = comm_check_freeable(comm);

    if (error)
        return error;
    p2p_wait_sends(comm);
    /* a process that has left the barrier no longer depends on a root that has not */
    disconnect_child(comm->context);
    error = coll_barrier(comm_whole(comm), FORM_BLOCKING, NULL, NULL);
    return error && !(net_survives() && lost_is_cause(error)) ? error : comm_free(comm);
}
