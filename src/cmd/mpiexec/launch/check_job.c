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
        return fail(MPI_ERR_OTHER, "--check and --advise: mpiexec cannot tell where it lies");
    strcpy(slash, "/lib/libinkling_insight.so");
    if (access(path, R_OK))
        return fail(MPI_ERR_OTHER, "--check and --advise need %s, which is not there", path);
    return 0;
}

/* Puts a value before what the ranks would have in a variable that is a list. */
static void put_first(struct job *job, const char *name, const char *value)
{
    const char *others = getenv(name);
    size_t length = strlen(name);

    for (int i = 0; i < job->set.count; i++)
        if (strncmp(job->set.word[i], name, length) == 0 && job->set.word[i][length] == '=')
            others = job->set.word[i] + length + 1;
    words_add(&job->set,
              words_format("%s=%s%s%s", name, value, others && *others ? ":" : "", others ? others : ""));
}

/* A path with a space cannot stand in LD_PRELOAD; then the library's folder goes into LD_LIBRARY_PATH. */
int check_job_load(struct job *job)
{
    char path[PATH_MAX], *slash;
    int error = find_insight(path);

    if (error)
        return error;
    if (!strpbrk(path, " \t\n")) {
        put_first(job, "LD_PRELOAD", path);
        return 0;
    }
    slash = strrchr(path, '/');
    *slash = '\0';
    put_first(job, "LD_PRELOAD", slash + 1);
    put_first(job, "LD_LIBRARY_PATH", path);
    return 0;
}

int check_job_open(struct job *job)
{
    int fd = board_make(&job_board);

    if (fd < 0)
        return fail(MPI_ERR_NO_MEM, "--check: no memory for the findings");
    words_add(&job->set, words_format("INKLING_JOB_BOARD=/proc/%d/fd/%d", (int)getpid(), fd));
    return 0;
}

int check_job_report(const struct job *job, int code)
{
    if (!job_board || finding_print(job_board, job->check) == 0 || code)
        return code;
    return CODE_FOUND;
}
