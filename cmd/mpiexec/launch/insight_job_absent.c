/* insight_job of a build without insight/ (make lib). */
#include "cmd/mpiexec/launch/launch.h"

#include "plain/fail.h"

#include <mpi.h>
#include <string.h>

size_t insight_check_form(const char *how)
{
    return strlen(how);
}

int insight_check_suppressions(const char *name, const char *form, size_t length)
{
    (void)name;
    (void)form;
    (void)length;
    return MPI_SUCCESS;
}

int insight_check_open(struct job *job)
{
    return job->check || job->advise ? fail(MPI_ERR_OTHER, "--check and --advise: this build has no insight "
                                                           "library; build it with make instead of make lib")
                                     : 0;
}

void insight_check_died(int rank, int status)
{
    (void)rank;
    (void)status;
}

void insight_check_lost(int rank, int status)
{
    (void)rank;
    (void)status;
}

const char *insight_check_why_ended(void)
{
    return NULL;
}

int insight_check_report(const struct job *job, int code)
{
    (void)job;
    return code;
}

/* insight_check_open has refused a job with --advise. */

void insight_advise_report(const struct job *job)
{
    (void)job;
}
