/* `inkling where`: what the ranks of a job do now. */
#include "cmd/inkling.h"
#include "cmd/where/far_hosts.h"
#include "cmd/where/say.h"
#include "cmd/where/screen.h"
#include "cmd/where/view_lines.h"

#include <stdlib.h>
#include <string.h>

/* A job that the word names: by its name, the number that mpiexec has given it, or the process of a rank or of its parent: in a
 * container mpiexec has another number. */
static bool is_job(const struct job_view *job, const char *word)
{
    char *end;
    long number = strtol(word, &end, 10);

    if (*end || end == word || number <= 0)
        return strcmp(job->name, word) == 0 || strcmp(job->first.launch, word) == 0;
    if (atoi(job->name) == number || atoi(job->first.launch) == number)
        return true;
    for (int r = 0; r < job->size; r++)
        if (job->rank[r] && (job->rank[r]->traced.pid == number || job->rank[r]->traced.parent == number))
            return true;
    return false;
}

static int where_complain(const char *word, int refused)
{
    struct traced t;
    char *end;
    long pid = strtol(word, &end, 10);
    enum traced_find found = *end || pid <= 0 ? TRACED_NONE : traced_find((pid_t)pid, &t);

    if (found == TRACED_REFUSED)
        fprintf(stderr, "inkling: where: process %s may not be read: ask as its user or as root\n", word);
    else if (found == TRACED_OTHER)
        fprintf(stderr, "inkling: where: process %s uses another version of the library: take its inkling\n",
                word);
    else
        fprintf(stderr, "inkling: where: there is no job or process '%s'; `inkling where` lists them%s\n",
                word, refused ? ", as far as this user may read processes" : "");
    return 1;
}

/* Whether a rank waits for one that is not there. */
static bool awaits_lost(const struct job_view *job)
{
    for (int r = 0; r < job->size; r++)
        for (int p = 0; p < job->size; p++)
            if (!job->rank[p] && job_awaits(job, r, p))
                return true;
    return false;
}

/* hosts: others that are being asked; NULL: none. */
static int say_one(struct job_view *job, struct far_hosts *hosts, enum where_how how)
{
    job_look_here(job);
    if (hosts)
        far_hosts_end(hosts, job);
    if (!job->size)
        return 1; /* nobody has answered, which was said */
    if (how == WHERE_LINES) {
        view_lines_write(stdout, job);
        return 0;
    }
    if (!job_conclude(job)) {
        fprintf(stderr, "inkling: where: no memory for %d ranks\n", job->size);
        return 1;
    }
    if (how == WHERE_JSON)
        say_job_json(stdout, job);
    else if (how == WHERE_TEXT || awaits_lost(job))
        say_job(stdout, job);
    return 0;
}

/* A job none of whose ranks is here. */
static int say_elsewhere(const char *word, enum where_how how, int refused)
{
    struct far_hosts *hosts = NULL;
    struct job_view job = {.size = 0};

    if (how != WHERE_LINES && how != WHERE_WATCH && atoi(word) > 0)
        hosts = far_hosts_begin_of(atoi(word), &job);
    return hosts ? say_one(&job, hosts, how) : where_complain(word, refused);
}

int where_run(const char *word, enum where_how how)
{
    static struct job_view *job; /* kept to the end */
    int refused, jobs = job_list(&job, &refused);

    for (int i = 0; word && i < jobs; i++)
        if (is_job(&job[i], word))
            return how == WHERE_WATCH
                       ? screen_run(&job[i])
                       : say_one(&job[i], how == WHERE_LINES ? NULL : far_hosts_begin(&job[i]), how);
    if (word)
        return say_elsewhere(word, how, refused);
    if (how == WHERE_WATCH) {
        fprintf(stderr, "inkling: where --watch: name a job; `inkling where` lists them\n");
        return 1;
    }
    if (how == WHERE_JSON)
        say_jobs_json(stdout, job, jobs);
    else
        say_jobs(stdout, job, jobs);
    return 0;
}
