#include "cmd/mpiexec/run/survival.h"

#include "cmd/mpiexec/run/output.h"
#include "cmd/mpiexec/run/told.h"
#include "hint/hint.h"
#include "net/shm/host_page.h"
#include "plain/clock.h"

#include <mpi.h>
#include <stdio.h>

static struct host_page *page; /* NULL: the job ends with the first death */
static uint64_t stride;
static int first_code, deaths;

bool survival_is_on(void)
{
    return page;
}

int survival_open(struct job *job)
{
    if (!hint_process.value[HINT_SURVIVE] || job->asked)
        return MPI_SUCCESS;
    page = host_page_open(job->memory, job->size, &stride);
    return page ? MPI_SUCCESS : MPI_ERR_OTHER;
}

void survival_death(struct job *job, int number, int code, const char *how)
{
    char line[1024];
    double seconds = (double)(clock_ns() - job->begin_ns) / 1e9;
    int used = snprintf(
        line, sizeof line, "mpiexec: %srank %d on host %s %s after %.3f s; %d of %d ranks go on\n",
        job->is_spawned ? "spawned job: " : "", number, job->host, how, seconds, job->alive, job->size);

    job->rank[number].died = true;
    if (!deaths++)
        first_code = code;
    host_page_tell_death(page, number);
    for (int i = 0; i < job->size; i++)
        if (job->rank[i].pid > 0)
            host_page_wake(job->memory, stride, i);
    warnings_print(UINT64_MAX); /* they came first */
    writer_write(2, line, used < (int)sizeof line ? (size_t)used : sizeof line - 1);
}

int survival_code(const struct job *job)
{
    return page && deaths == job->size && job->code == 0 && !job->is_spawned ? first_code : job->code;
}
