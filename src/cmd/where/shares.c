#include "cmd/where/shares.h"

#include <unistd.h>

static struct rank_view *find_here(const struct job_view *job, int rank)
{
    struct rank_view *v = job->rank[rank];

    return v && !*v->host ? v : NULL;
}

void shares_begin(struct job_view *job)
{
    for (int r = 0; r < job->size; r++) {
        struct rank_view *v = find_here(job, r);

        if (v)
            v->shares = (struct rank_shares){.ticks = traced_ticks(v->traced.pid)};
    }
}

void shares_sample(struct job_view *job)
{
    static struct stack_copy copy;
    bool refused;

    for (int r = 0; r < job->size; r++) {
        struct rank_view *v = find_here(job, r);

        if (v && stack_capture(&v->traced, v->traced.pid, NULL, &copy, &refused))
            v->shares.waits += copy.has_wait;
    }
}

void shares_end(struct job_view *job)
{
    double hertz = (double)sysconf(_SC_CLK_TCK);

    for (int r = 0; r < job->size; r++) {
        struct rank_view *v = find_here(job, r);
        uint64_t ticks = v ? traced_ticks(v->traced.pid) : 0;

        if (v)
            v->shares.core = ticks > v->shares.ticks ? (double)(ticks - v->shares.ticks) / hertz : 0;
    }
}
