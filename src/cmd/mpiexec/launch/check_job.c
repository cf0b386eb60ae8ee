#include "cmd/mpiexec/launch/check_job.h"

#include "base/fail.h"
#include "cmd/mpiexec/command_line/words.h"
#include "insight/finding_print.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CODE_FOUND = 66
};

static struct board *job_board;

/* The library beside the commands: bin/../lib in a build tree and in an installed one. */
static int find_insight(char *path)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    char *slash;

    path[length > 0 ? length : 0] = '\0';
    slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    slash = strrchr(path, '/');
    if (!slash || strlen(path) + 32 > PATH_MAX)
        return fail(MPI_ERR_OTHER, "--check: mpiexec cannot tell where it lies");
    strcpy(slash, "/lib/libinkling_insight.so");
    if (access(path, R_OK))
        return fail(MPI_ERR_OTHER, "--check needs %s, which is not there", path);
    return 0;
}

int check_job_open(struct job *job)
{
    char path[PATH_MAX];
    const char *others = getenv("LD_PRELOAD");
    int fd, error = find_insight(path);

    if (error)
        return error;
    fd = board_make(&job_board);
    if (fd < 0)
        return fail(MPI_ERR_NO_MEM, "--check: no memory for the findings");
    for (int i = 0; i < job->set.count; i++)
        if (strncmp(job->set.word[i], "LD_PRELOAD=", 11) == 0)
            others = job->set.word[i] + 11;
    words_add(&job->set,
              words_format("LD_PRELOAD=%s%s%s", path, others && *others ? ":" : "", others ? others : ""));
    words_add(&job->set, words_format("INKLING_JOB_BOARD=/proc/%d/fd/%d", (int)getpid(), fd));
    return 0;
}

int check_job_report(const struct job *job, int code)
{
    if (!job_board || finding_print(job_board, job->check) == 0 || code)
        return code;
    return CODE_FOUND;
}
