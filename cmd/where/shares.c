#include "cmd/where/shares.h"

#include "cmd/where/received.h"
#include "plain/clock.h"

#include <unistd.h>

static struct rank_view *find_here(const struct job_view *job, int rank)
{
    struct rank_view *v = job->rank[rank];

    return v && !*v->host ? v : NULL;
}

/* 0: it could not be read. */
static uint64_t count_messages(const struct traced *t, uint64_t *messages)
{
    return received_count(t, messages) || received_count(t, messages) ? clock_ns() : 0;
}

/* Since the second began. */
static double rate_of(const struct rank_view *v)
{
    uint64_t messages, now = count_messages(&v->traced, &messages);

    if (!now || !v->shares.since_ns || messages < v->shares.messages)
        return -1;
    return (double)(messages - v->shares.messages) * 1e9 / (double)(now - v->shares.since_ns);
}

void shares_begin(struct job_view *job)
{
    for (int r = 0; r < job->size; r++) {
        struct rank_view *v = find_here(job, r);

        if (!v)
            continue;
        v->shares = (struct rank_shares){.ticks = traced_ticks(v->traced.pid), .rate = -1};
        v->shares.since_ns = count_messages(&v->traced, &v->shares.messages);
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

        if (!v)
            continue;
        v->shares.rate = rate_of(v);
        v->shares.core = ticks > v->shares.ticks ? (double)(ticks - v->shares.ticks) / hertz : 0;
    }
}
