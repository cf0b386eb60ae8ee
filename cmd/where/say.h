/* say: what `inkling where` prints of a job, for people and as JSON. */
#ifndef CMD_WHERE_SAY_H
#define CMD_WHERE_SAY_H

#include "cmd/where/job_view.h"

#include <stdio.h>

/* One line a job. */
void say_jobs(FILE *out, const struct job_view *job, int jobs);
void say_jobs_json(FILE *out, const struct job_view *job, int jobs);
/* The ranks, those that are alike in one line. The first line says what is wrong, if that can be told. */
void say_job(FILE *out, const struct job_view *job);
void say_job_json(FILE *out, const struct job_view *job);

/* say_phrase.c: what a thread does, without its rank and its time, so that those of ranks that are alike are equal. */
enum {
    SAY_PHRASE = 2048
};
void say_thread(const struct job_view *job, int rank, const struct rank_thread *thread, char *to,
                size_t room);
/* Of a rank whose threads may not be stopped: why nothing is said of them. */
const char *say_refusal(const struct rank_view *v);
/* Adds to a text, as far as there is room. */
void say_more(char *to, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Ranks as people write them, "0-3, 7"; those that `has` has. */
void say_ranks(const bool *has, int size, char *to, size_t room);
/* The program's open requests and where they were posted: besides those that are waited for, by kind and place, and all. */
void say_open(const struct rank_view *v, char *to, size_t room);
/* What the ranks amount to: a circle, a rank that is gone ...; "": nothing. */
void say_verdict(const struct job_view *job, char *to, size_t room);

#endif
