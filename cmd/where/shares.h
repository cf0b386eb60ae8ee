/* shares: which part of a second the ranks of a job that are here wait and compute, by samples, for which no stacks are followed. */
#ifndef CMD_WHERE_SHARES_H
#define CMD_WHERE_SHARES_H

#include "cmd/where/job_view.h"

enum {
    SHARES_SAMPLES = 20, /* in a second */
    SHARES_SAMPLE_MS = 1000 / SHARES_SAMPLES
};

/* A second begins. */
void shares_begin(struct job_view *job);
/* One of its samples. */
void shares_sample(struct job_view *job);
/* It is over: the ranks' shares are those of it. */
void shares_end(struct job_view *job);

#endif
