#include "cmd/mpiexec/run/told.h"

#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/run/output.h"
#include "plain/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FIRST_S = 3
};

static uint64_t begin_ns, due_ns; /* due_ns 0: nothing will be told */

static bool is_terminal_ours(void)
{
    return isatty(STDERR_FILENO) && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static int seconds_since_begin(uint64_t now)
{
    return (int)((now - begin_ns) / 1000000000u);
}

static void start_progress_say(const char *line)
{
    if (is_terminal_ours())
        writer_write(STDERR_FILENO, line, strlen(line));
}

static void start_progress_put_off(void)
{
    due_ns = begin_ns + 2 * (due_ns - begin_ns);
}

void start_progress_begin(void)
{
    begin_ns = clock_ns();
    due_ns = is_terminal_ours() ? begin_ns + FIRST_S * UINT64_C(1000000000) : 0;
}

void start_progress_started(const struct job *job, int count)
{
    uint64_t now = due_ns ? clock_ns() : 0;
    char line[128];

    if (!due_ns || now < due_ns)
        return;
    snprintf(line, sizeof line, "mpiexec: %d of %d ranks are started after %d s\n", count, job->size,
             seconds_since_begin(now));
    start_progress_say(line);
    start_progress_put_off();
    writer_flush();
}

/* Marks the ranks that run and have not begun MPI_Init. Returns how many have begun it. */
static int find_missing(const struct job *job, bool *missing, int *missing_count)
{
    int begun = 0;

    *missing_count = 0;
    for (int i = 0; i < job->size; i++) {
        missing[i] = job->rank[i].pid && !job->rank[i].initialized;
        *missing_count += missing[i];
        begun += job->rank[i].initialized;
    }
    return begun;
}

uint64_t start_progress_look(const struct job *job, uint64_t now)
{
    bool *missing;
    int count, begun;
    char list[256], line[512];

    if (!due_ns || now < due_ns)
        return due_ns;
    missing = words_allocate((size_t)job->size * sizeof *missing);
    begun = find_missing(job, missing, &count);
    words_list_ranks(missing, job->size, list, sizeof list);
    free(missing);
    if (count == 0 || job->ending)
        return due_ns = 0;
    snprintf(line, sizeof line, "mpiexec: %d of %d ranks are in MPI after %d s; waiting for rank%s %s\n",
             begun, job->size, seconds_since_begin(now), count > 1 ? "s" : "", list);
    if (begun)
        start_progress_say(line);
    start_progress_put_off();
    return due_ns;
}
