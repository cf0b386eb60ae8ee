#include "dynamic/child_job.h"

#include "base/live.h"
#include "base/lock.h"
#include "boot/spawn_order.h"

#include <stdlib.h>

static struct lock lock = LOCK_INIT; /* guards the list; always taken */
static struct child_job *child_jobs;

void child_job_keep(struct child_job *child_job, uint64_t context)
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

void child_job_part(uint64_t context)
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

void child_job_part_all(void)
{
    lock_always_take(&lock);
    for (struct child_job *w = child_jobs, *next; w; w = next) {
        next = w->next;
        child_job_end(w);
    }
    child_jobs = NULL;
    lock_always_release(&lock);
}
