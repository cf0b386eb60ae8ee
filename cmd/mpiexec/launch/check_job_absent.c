/* check_job of a build without insight/ (make lib). */
#include "cmd/mpiexec/launch/launch.h"

#include "plain/fail.h"

#include <mpi.h>
#include <string.h>

size_t check_job_form(const char *how)
{
    return strlen(how);
}

int check_job_suppressions(const char *name, const char *form, size_t length)
{
    (void)name;
    (void)form;
    (void)length;
    return MPI_SUCCESS;
}

int check_job_open(struct job *job)
{
    return job->check || job->advise ? fail(MPI_ERR_OTHER, "--check and --advise: this build has no insight "
                                                           "library; build it with make instead of make lib")
                                     : 0;
}

void check_job_died(int rank, int status)
{
    (void)rank;
    (void)status;
}

void check_job_lost(int rank, int status)
{
    (void)rank;
    (void)status;
}

const char *check_job_why_ended(void)
{
    return NULL;
}

int check_job_report(const struct job *job, int code)
{
    (void)job;
    return code;
}
