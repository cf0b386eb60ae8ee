/* advise_job of a build without insight/ (make lib): check_job_open has refused such a job. */
#include "cmd/mpiexec/launch/launch.h"

void advise_job_report(const struct job *job)
{
    (void)job;
}
