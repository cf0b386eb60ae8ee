#include "cmd/where/far_hosts.h"

#include "plain/clock.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum {
    ANSWER_MS = 8000, /* from the start of its question */
    AT_ONCE = 16      /* questions under way */
};

/* One run of the launcher. */
struct host_question {
    char host[256]; /* or hosts */
    pid_t pid;      /* 0: it does not run */
    uint64_t begin_ns;
    FILE *said, *complaint; /* owned; what it writes to standard output and error */
};

struct far_hosts {
    struct far_plan plan;
    struct host_question question[AT_ONCE];
};

static void say_unanswered(const struct host_question *q, const char *launcher, bool is_late)
{
    char line[256] = "";

    if (q->complaint) {
        rewind(q->complaint);
        if (fgets(line, sizeof line, q->complaint))
            line[strcspn(line, "\n")] = 0;
    }
    fprintf(stderr, "inkling: where: %s could not be asked: %s%s%s\n", q->host, launcher,
            is_late ? " gave no answer in 8 s"
            : *line ? ": "
                    : " cannot start inkling there",
            is_late ? "" : line);
}

static void forget_question(struct host_question *q)
{
    if (q->said)
        fclose(q->said);
    if (q->complaint)
        fclose(q->complaint);
    *q = (struct host_question){.pid = 0};
}

static void ask_next(struct far_hosts *h, struct host_question *q)
{
    if (!far_plan_next(&h->plan, q->host, sizeof q->host))
        return;
    q->said = tmpfile();
    q->complaint = tmpfile();
    q->begin_ns = clock_ns();
    if (q->said && q->complaint)
        q->pid = far_plan_ask(&h->plan, q->host, false, fileno(q->said), fileno(q->complaint));
    if (!q->pid) {
        say_unanswered(q, h->plan.launcher, false);
        forget_question(q);
    }
}

/* Reads what it has said, if it has ended, or ends it. */
static void look_after(const struct far_hosts *h, struct host_question *q, struct job_view *job)
{
    uint64_t now = clock_ns();
    bool is_late = now - q->begin_ns > ANSWER_MS * UINT64_C(1000000);
    int status = 0;
    pid_t got = waitpid(q->pid, &status, is_late ? 0 : WNOHANG);

    if (got == 0)
        return;
    rewind(q->said);
    if (!view_lines_read(q->said, job, now))
        say_unanswered(q, h->plan.launcher, is_late);
    forget_question(q);
}

static void end_late(struct host_question *q)
{
    if (clock_ns() - q->begin_ns > ANSWER_MS * UINT64_C(1000000))
        kill(q->pid, SIGKILL);
}

static struct far_hosts *begin_asking(struct far_hosts *h, struct job_view *job)
{
    job->asked_ns = clock_ns();
    for (int i = 0; i < AT_ONCE; i++)
        ask_next(h, &h->question[i]);
    return h;
}

struct far_hosts *far_hosts_begin(struct job_view *job)
{
    struct far_hosts *h = job->present < job->size ? calloc(1, sizeof *h) : NULL;

    if (h && far_plan_make(&h->plan, job->first.pid, job->name))
        return begin_asking(h, job);
    free(h);
    return NULL;
}

struct far_hosts *far_hosts_begin_of(int number, struct job_view *job)
{
    struct far_hosts *h = calloc(1, sizeof *h);

    if (h && far_plan_find(&h->plan, number))
        return begin_asking(h, job);
    free(h);
    return NULL;
}

void far_hosts_end(struct far_hosts *h, struct job_view *job)
{
    const struct timespec moment = {0, 10 * 1000 * 1000};
    bool goes_on = true;

    while (goes_on) {
        goes_on = false;
        for (int i = 0; i < AT_ONCE; i++) {
            struct host_question *q = &h->question[i];

            if (q->pid) {
                end_late(q);
                look_after(h, q, job);
            }
            if (!q->pid)
                ask_next(h, q);
            goes_on = goes_on || q->pid;
        }
        if (goes_on)
            nanosleep(&moment, NULL);
    }
    free(h);
}
