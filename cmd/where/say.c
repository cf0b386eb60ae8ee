#include "cmd/where/say.h"

#include "plain/clock.h"
#include "plain/json.h"
#include "request/request.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The requests that a rank has open besides those that its threads wait for. */

enum {
    TOLD_MOST = 4 /* groups that are told apart */
};

/* Requests of one kind that were posted at one place. */
struct open_group {
    const struct object_request *first;
    int count;
};

static const char *request_word(const struct objects *o, const struct object_request *r)
{
    static const char *const names[] = {"send",        "receive",     "collective", "communicator",
                                        "generalized", "partitioned", "file",       "several"};
    const struct object_request *part = r->kind == REQUEST_MULTI ? objects_part(o, r) : NULL;
    int kind = part ? part->kind : r->kind;

    return kind >= 0 && kind < (int)(sizeof names / sizeof *names) ? names[kind] : "?";
}

/* Whether the program has this request open, and no thread waits for it. */
static bool is_open_besides(const struct rank_view *v, const struct object_request *r)
{
    const struct object_comm *c = objects_comm(&v->objects, r->comm);

    for (int i = 0; i < v->threads; i++)
        if (v->thread[i].waits && v->thread[i].what == r->at)
            return false;
    return r->plane == 0 && !(c && c->is_hidden) && !objects_request(&v->objects, r->parent);
}

static bool is_of_group(const struct objects *o, const struct object_request *a,
                        const struct object_request *b)
{
    return strcmp(request_word(o, a), request_word(o, b)) == 0 && strcmp(a->place, b->place) == 0 &&
           strcmp(a->origin, b->origin) == 0;
}

/* Returns how many groups there are; *all: how many requests. */
static int group_open(const struct rank_view *v, struct open_group *group, int most, int *all)
{
    int groups = 0;

    *all = v->objects.requests_left;
    for (int i = 0; i < v->objects.requests; i++) {
        const struct object_request *r = &v->objects.request[i];
        int g = 0;

        if (!is_open_besides(v, r))
            continue;
        ++*all;
        while (g < groups && !is_of_group(&v->objects, group[g].first, r))
            g++;
        if (g == most)
            continue;
        if (g == groups)
            group[groups++] = (struct open_group){r, 0};
        group[g].count++;
    }
    return groups;
}

void say_open(const struct rank_view *v, char *to, size_t room)
{
    struct open_group group[TOLD_MOST];
    int all, groups = group_open(v, group, TOLD_MOST, &all), left = all;

    if (!all)
        return;
    say_more(to, room, "; %d %s open", all, all == 1 ? "request is" : "requests are");
    for (int g = 0; g < groups; g++) {
        const struct object_request *r = group[g].first;

        say_more(to, room, "%s%d %s", g ? ", " : " (", group[g].count, request_word(&v->objects, r));
        if (*r->place)
            say_more(to, room, " %s %s", *r->origin ? "started" : "posted", r->place);
        if (*r->origin)
            say_more(to, room, "%s made %s", *r->place ? "," : "", r->origin);
        left -= group[g].count;
    }
    if (groups && left)
        say_more(to, room, ", %d others", left);
    say_more(to, room, "%s", groups ? ")" : "");
}

static void say_open_json(FILE *out, const struct rank_view *v)
{
    char name[OBJECTS_NAME + 64];
    bool is_first = true;

    fprintf(out, ", \"requests\": [");
    for (int i = 0; v->has_objects && i < v->objects.requests; i++) {
        const struct object_request *r = &v->objects.request[i];

        if (r->plane || objects_request(&v->objects, r->parent))
            continue;
        json_write_member(out, is_first ? "{" : ", {", "kind", request_word(&v->objects, r));
        if (objects_comm(&v->objects, r->comm)) {
            objects_name(&v->objects, r->comm, name, sizeof name);
            json_write_member(out, ", ", "on", name);
        }
        if (r->kind == REQUEST_RECV)
            fprintf(out, ", \"source\": %d, \"tag\": %d", r->source, r->tag);
        json_write_member(out, ", ", r->made ? "started" : "posted", *r->place ? r->place : NULL);
        if (r->made)
            json_write_member(out, ", ", "made", *r->origin ? r->origin : NULL);
        fprintf(out, "}");
        is_first = false;
    }
    fprintf(out, "]");
}

/* What several threads do alike. */
struct alike {
    char phrase[SAY_PHRASE];
    bool *rank; /* owned */
    int threads;
    int sleeping, polling; /* threads in MPI */
    uint64_t since_ns;     /* the earliest; 0: not known */
};

struct alikes {
    struct alike *group; /* owned */
    int count;
};

static double now_since_start(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void say_time(FILE *out, double seconds)
{
    if (seconds < 10)
        fprintf(out, "%.1f s", seconds < 0 ? 0 : seconds);
    else if (seconds < 600)
        fprintf(out, "%.0f s", seconds);
    else if (seconds < 36000)
        fprintf(out, "%.0f min", seconds / 60);
    else
        fprintf(out, "%.1f h", seconds / 3600);
}

/* What `inkling where` takes for this job: the process that started it, if its name says that, or a rank. */
static int job_number(const struct job_view *job)
{
    int number = atoi(*job->first.launch ? job->first.launch : job->name);

    return number > 0 ? number : (int)job->first.pid;
}

void say_jobs(FILE *out, const struct job_view *job, int jobs)
{
    double now = now_since_start();

    if (!jobs)
        fprintf(out, "no MPI job of this user runs on this host with this library\n");
    else
        fprintf(out, "%-8s %-14s %-9s %s\n", "JOB", "RANKS", "RUNS", "PROGRAM");
    for (int i = 0; i < jobs; i++) {
        char ranks[32];

        snprintf(ranks, sizeof ranks, job[i].present == job[i].size ? "%d" : "%d, %d here", job[i].size,
                 job[i].present);
        fprintf(out, "%-8d %-14s ", job_number(&job[i]), ranks);
        say_time(out, now - job[i].first.started);
        fprintf(out, "  %s\n", job[i].first.command);
    }
}

void say_jobs_json(FILE *out, const struct job_view *job, int jobs)
{
    double now = now_since_start();

    fprintf(out, "{\"jobs\": [");
    for (int i = 0; i < jobs; i++) {
        fprintf(out, "%s{\"job\": %d, \"ranks\": %d, \"here\": %d, \"seconds\": %.1f", i ? ", " : "",
                job_number(&job[i]), job[i].size, job[i].present, now - job[i].first.started);
        json_write_member(out, ", ", "name", job[i].name);
        json_write_member(out, ", ", "program", job[i].first.command);
        fprintf(out, "}");
    }
    fprintf(out, "]}\n");
}

/* thread: NULL: the phrase is of none. */
static void group_phrase(const struct job_view *job, struct alikes *g, int rank, const char *phrase,
                         const struct rank_thread *thread)
{
    struct alike *one, *more;

    for (one = g->group; one < g->group + g->count; one++)
        if (strcmp(one->phrase, phrase) == 0)
            break;
    if (one == g->group + g->count) {
        more = realloc(g->group, (size_t)(g->count + 1) * sizeof *more);
        if (!more)
            return;
        g->group = more;
        one = &more[g->count++];
        memset(one, 0, sizeof *one);
        strcpy(one->phrase, phrase);
        one->rank = calloc((size_t)job->size, 1);
    }
    if (one->rank)
        one->rank[rank] = true;
    one->threads++;
    if (!thread || !thread->in_mpi)
        return;
    one->sleeping += thread->state == 'S';
    one->polling += thread->state == 'R';
    if (thread->waits && (!one->since_ns || thread->since_ns < one->since_ns))
        one->since_ns = thread->since_ns;
}

static void group_rank(const struct job_view *job, struct alikes *g, int rank)
{
    static char phrase[SAY_PHRASE];
    const struct rank_view *v = job->rank[rank];

    if (!v)
        group_phrase(job, g, rank, "not there: ended, not started, or on another host", NULL);
    else if (v->is_refused)
        group_phrase(job, g, rank, say_refusal(v), NULL);
    for (int i = 0; v && !v->is_refused && i < v->threads; i++) {
        /* The first thread of a rank that others use MPI in says little. */
        if (i == 0 && v->threads > 1 && !v->thread[0].in_mpi)
            continue;
        say_thread(job, rank, &v->thread[i], phrase, sizeof phrase);
        group_phrase(job, g, rank, phrase, &v->thread[i]);
    }
}

/* Since when they wait, and how. */
static void say_wait(FILE *out, const struct alike *one)
{
    if (one->since_ns) {
        fprintf(out, "; since ");
        say_time(out, (double)(clock_ns() - one->since_ns) / 1e9);
    }
    if (one->sleeping && one->polling)
        fprintf(out, "; %d sleep, %d poll%s", one->sleeping, one->polling, one->polling > 1 ? "" : "s");
    else if (one->sleeping)
        fprintf(out, one->sleeping > 1 ? "; sleep" : "; sleeps");
    else if (one->polling)
        fprintf(out, one->polling > 1 ? "; poll" : "; polls");
}

static void say_group(FILE *out, const struct job_view *job, const struct alike *one)
{
    char list[512];
    int ranks = 0;

    if (!one->rank)
        return;
    for (int r = 0; r < job->size; r++)
        ranks += one->rank[r];
    say_ranks(one->rank, job->size, list, sizeof list);
    fprintf(out, "rank%s %s", ranks > 1 ? "s" : "", list);
    if (one->threads > ranks)
        fprintf(out, " (%d threads)", one->threads);
    if (ranks > 1 && strncmp(one->phrase, "computes", 8) == 0)
        fprintf(out, ": compute%s", one->phrase + 8);
    else
        fprintf(out, ": %s", one->phrase);
    say_wait(out, one);
    fprintf(out, "\n");
}

/* Why lines of Python are not said; NULL: they are, or there are none. */
static const char *python_absence(const struct job_view *job)
{
    for (int r = 0; r < job->size; r++)
        if (job->rank[r] && *job->rank[r]->python.lacks)
            return job->rank[r]->python.lacks;
    return NULL;
}

void say_job(FILE *out, const struct job_view *job)
{
    static char verdict[SAY_PHRASE];
    struct alikes g = {NULL, 0};

    say_verdict(job, verdict, sizeof verdict);
    if (*verdict)
        fprintf(out, "%s\n", verdict);
    if (stack_absence())
        fprintf(out, "which calls the ranks are in cannot be told: %s\n", stack_absence());
    if (python_absence(job))
        fprintf(out, "which lines of Python the ranks are at cannot be told: %s\n", python_absence(job));
    for (int r = 0; r < job->size; r++)
        group_rank(job, &g, r);
    for (int i = 0; i < g.count; i++) {
        say_group(out, job, &g.group[i]);
        free(g.group[i].rank);
    }
    free(g.group);
}

static void json_thread(FILE *out, const struct job_view *job, int rank, const struct rank_thread *thread)
{
    static char phrase[SAY_PHRASE];
    char name[OBJECTS_NAME + 64];
    bool *late = calloc((size_t)job->size, 1);
    const char *between = "";

    say_thread(job, rank, thread, phrase, sizeof phrase);
    fprintf(out, "{\"thread\": %d, \"state\": \"%c\", \"in_mpi\": %s", (int)thread->tid,
            thread->state ? thread->state : '?', thread->in_mpi ? "true" : "false");
    json_write_member(out, ", ", "call", *thread->call ? thread->call : NULL);
    json_write_member(out, ", ", "place", *thread->place ? thread->place : NULL);
    json_write_member(out, ", ", "text", phrase);
    if (thread->waits && thread->comm) {
        objects_name(&job->rank[rank]->objects, thread->comm, name, sizeof name);
        json_write_member(out, ", ", "on", name);
    }
    if (thread->waits && (thread->wait == FOR_MESSAGE || thread->wait == FOR_PROBE))
        fprintf(out, ", \"source\": %d, \"tag\": %d", thread->peer, thread->tag);
    if (thread->waits && thread->since_ns)
        fprintf(out, ", \"seconds\": %.3f", (double)(clock_ns() - thread->since_ns) / 1e9);
    fprintf(out, ", \"waits_for\": [");
    for (int p = 0, count = late ? job_late(job, rank, thread, late) : 0; count && p < job->size; p++)
        if (late[p]) {
            fprintf(out, "%s%d", between, p);
            between = ", ";
        }
    fprintf(out, "], \"stopped_ms\": %.3f}", thread->stopped_ms);
    free(late);
}

static void json_rank(FILE *out, const struct job_view *job, int rank)
{
    const struct rank_view *v = job->rank[rank];

    fprintf(out, "{\"rank\": %d", rank);
    if (!v) {
        fprintf(out, ", \"here\": false}");
        return;
    }
    if (*v->host)
        json_write_member(out, ", ", "host", v->host);
    fprintf(out, ", \"here\": %s, \"pid\": %d, \"readable\": %s, \"initialized\": %s",
            *v->host ? "false" : "true", (int)v->traced.pid, v->is_refused ? "false" : "true",
            v->traced.is_open ? "true" : "false");
    fprintf(out, ", \"open_requests\": %d, \"unexpected\": %d",
            v->objects.requests + v->objects.requests_left, v->objects.messages + v->objects.messages_left);
    say_open_json(out, v);
    fprintf(out, ", \"threads\": [");
    for (int i = 0; i < v->threads; i++) {
        fprintf(out, "%s", i ? ", " : "");
        json_thread(out, job, rank, &v->thread[i]);
    }
    fprintf(out, "]}");
}

void say_job_json(FILE *out, const struct job_view *job)
{
    static char verdict[SAY_PHRASE];

    say_verdict(job, verdict, sizeof verdict);
    json_write_member(out, "{", "job", job->name);
    fprintf(out, ", \"number\": %d, \"size\": %d", job_number(job), job->size);
    json_write_member(out, ", ", "verdict", *verdict ? verdict : NULL);
    json_write_member(out, ", ", "lacks", stack_absence());
    json_write_member(out, ", ", "lacks_python", python_absence(job));
    fprintf(out, ", \"ranks\": [");
    for (int r = 0; r < job->size; r++) {
        fprintf(out, "%s", r ? ", " : "");
        json_rank(out, job, r);
    }
    fprintf(out, "]}\n");
}
