#include "cmd/mpiexec/launch/launch.h"

#include "cmd/mpiexec/command_line/words.h"
#include "insight/advise/advise.h"
#include "plain/fail.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int advise_job_open(struct job *job)
{
    char folder[PATH_MAX], old[PATH_MAX];

    if (mkdir(job->advise, 0777) && errno != EEXIST)
        return fail(MPI_ERR_OTHER, "--advise=%.256s: cannot make this folder: %s", job->advise,
                    strerror(errno));
    if (!realpath(job->advise, folder))
        return fail(MPI_ERR_OTHER, "--advise=%.256s: %s", job->advise, strerror(errno));
    snprintf(old, sizeof old, "%.4000s/profile", folder);
    unlink(old); /* what an earlier run left is not taken for this one's */
    for (int i = 0; i < job->size; i++) {
        snprintf(old, sizeof old, "%.4000s/profile.%d", folder, i);
        unlink(old);
    }
    job->advise = words_format("%s", folder);
    words_add(&job->set, words_format("INKLING_JOB_ADVISE=%s", folder));
    return 0;
}

void advise_job_report(const struct job *job)
{
    if (advise_write(job->advise, stderr, false, false))
        fprintf(stderr, "inkling advise: %s\n", fail_note());
}
