#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/run/output.h"
#include "plain/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What stands for %letter; NULL: that is no letter of a pattern. */
static char *value_of(const struct job *job, char letter, int rank)
{
    switch (letter) {
    case 'r':
        return words_format("%d", rank);
    case '0': /* as wide as the last rank */
        return words_format("%0*d", snprintf(NULL, 0, "%d", job->size - 1), rank);
    case 'h':
        return words_format("%s", job->host);
    case 't':
        return words_format("%ld", (long)time(NULL));
    case 'g':
    case 'p':
        return words_format("0");
    case '%':
        return words_format("%%");
    default:
        return NULL;
    }
}

char *output_files_expand(const struct job *job, const char *pattern, int rank)
{
    char *text = words_format("%s", "");

    while (*pattern) {
        size_t plain = strcspn(pattern, "%");
        char *value = pattern[plain] ? value_of(job, pattern[plain + 1], rank) : NULL, *before = text;
        size_t taken = pattern[plain] ? 1 + (value != NULL) : 0;

        text = words_format("%s%.*s%s", before, (int)plain, pattern,
                            value            ? value
                            : pattern[plain] ? "%"
                                             : "");
        free(before);
        free(value);
        pattern += plain + taken;
    }
    return text;
}

static int make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        int refused;

        *slash = 0;
        refused = mkdir(path, 0777) < 0 && errno != EEXIST;
        if (refused)
            return fail(MPI_ERR_OTHER, "cannot make the folder '%s' for output: %s", path, strerror(errno));
        *slash = '/';
    }
    return 0;
}

int output_files_open(const struct job *job, const char *pattern, int rank, int *fd)
{
    char *path = output_files_expand(job, pattern, rank);
    bool is_own =
        rank == 0 || strstr(pattern, "%r") || strstr(pattern, "%0"); /* else several ranks write to it */
    int error = make_folders(path);

    if (!error) {
        *fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND | (is_own ? O_TRUNC : 0), 0666);
        if (*fd < 0)
            error = fail(MPI_ERR_OTHER, "cannot write the output of rank %d to '%s': %s", rank, path,
                         strerror(errno));
    }
    free(path);
    return error;
}

void output_files_copy(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        bytes += n;
        size -= (size_t)n;
    }
}
