/* `inkling where`: what the ranks of a job do now. */
#include "cmd/inkling.h"
#include "cmd/where/far_hosts.h"
#include "cmd/where/job_view.h"
#include "cmd/where/say.h"
#include "cmd/where/screen.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* What kernel.yama.ptrace_scope is; -1: this kernel has none. */
static int read_ptrace_scope(void)
{
    FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    int scope = -1;

    if (f && fscanf(f, "%d", &scope) != 1)
        scope = -1;
    if (f)
        fclose(f);
    return scope;
}

/* Who may look at a process that its own user may not read. */
static void say_who_may(const struct traced *t)
{
    int scope = read_ptrace_scope(), mpiexec;
    char name[TRACED_JOB_SIZE], why[64] = "";

    traced_variable(t->pid, "INKLING_JOB_NAME", name, sizeof name);
    mpiexec = atoi(name);
    if (scope > 0)
        snprintf(why, sizeof why, " (kernel.yama.ptrace_scope is %d)", scope);
    fprintf(stderr, "as ptrace is not permitted here%s: ask as root", why);
    if (mpiexec > 0 && scope < 2)
        fprintf(stderr, ", or with `kill -QUIT %d`, on which mpiexec says it, who may look at its ranks",
                mpiexec);
    fprintf(stderr, "\n");
}

/* t: a process that uses this library, may not be read and does not answer. */
static void say_refused(const struct traced *t, const char *word)
{
    if (t->is_own) {
        fprintf(stderr, "inkling: where: process %s may not be read, ", word);
        say_who_may(t);
    } else {
        fprintf(stderr, "inkling: where: process %s may not be read: ask as its user or as root\n", word);
    }
}

/* Of ranks here that may not be read and do not answer; returns how many. */
static int say_silent(const struct job_view *job)
{
    const struct rank_view *silent = NULL;
    int count = 0;

    for (int r = 0; r < job->size; r++)
        if (job->rank[r] && !*job->rank[r]->host && job->rank[r]->is_refused &&
            job->rank[r]->traced.is_refused) {
            silent = job->rank[r];
            count++;
        }
    if (!count)
        return 0;
    fprintf(stderr, "inkling: where: %d of %d ranks may not be read, and only what waits in MPI answers, ",
            count, job->size);
    say_who_may(&silent->traced);
    return count;
}

/* Of the processes that may not be read, one that the number names, or that mpiexec of this number has started. */
static bool find_refused(long number, struct traced *t)
{
    char name[TRACED_JOB_SIZE];
    struct dirent *entry;
    DIR *d = opendir("/proc");
    bool is_found = false;

    while (d && !is_found && (entry = readdir(d)) != NULL)
        if (isdigit((unsigned char)*entry->d_name) && traced_find(atoi(entry->d_name), t) == TRACED_REFUSED) {
            traced_variable(t->pid, "INKLING_JOB_NAME", name, sizeof name);
            is_found = t->pid == number || atoi(name) == number;
        }
    if (d)
        closedir(d);
    return is_found;
}

static int where_complain(const char *word)
{
    struct traced t;
    char *end;
    long pid = strtol(word, &end, 10);
    bool is_number = !*end && pid > 0;

    if (is_number && find_refused(pid, &t))
        say_refused(&t, word);
    else if (is_number && traced_find((pid_t)pid, &t) == TRACED_OTHER)
        fprintf(stderr, "inkling: where: process %s uses another version of the library: take its inkling\n",
                word);
    else
        fprintf(stderr, "inkling: where: there is no job or process '%s'; `inkling where` lists them%s\n",
                word, geteuid() ? ", as far as this user may read processes" : "");
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
    if (say_silent(job) == job->size)
        return 1;
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

static int watch_job(struct job_view *job, struct far_watch *far)
{
    int code = screen_run(job, far);

    if (far)
        far_watch_end(far);
    return code;
}

/* For --watch on another host: lines of each second, until nobody reads them. */
static int say_seconds(struct job_view *job)
{
    const struct timespec pause = {0, SHARES_SAMPLE_MS * 1000L * 1000};

    while (job_refresh(job)) {
        job_look_here(job);
        view_lines_write(stdout, job);
        printf("job end\n");
        if (fflush(stdout) != 0)
            return 1;
        shares_begin(job);
        for (int i = 0; i < SHARES_SAMPLES; i++) {
            shares_sample(job);
            nanosleep(&pause, NULL);
        }
        shares_end(job);
    }
    return 0;
}

/* A job none of whose ranks is here. */
static int say_elsewhere(const char *word, enum where_how how)
{
    struct far_hosts *hosts = NULL;
    struct job_view job = {.size = 0};

    struct far_watch *far = how == WHERE_WATCH && atoi(word) > 0 ? far_watch_begin_of(atoi(word)) : NULL;

    if (far)
        return watch_job(&job, far);
    if (how != WHERE_LINES && how != WHERE_SECONDS && how != WHERE_WATCH && atoi(word) > 0)
        hosts = far_hosts_begin_of(atoi(word), &job);
    return hosts ? say_one(&job, hosts, how) : where_complain(word);
}

static int say_found(struct job_view *job, enum where_how how)
{
    if (how == WHERE_WATCH)
        return watch_job(job, far_watch_begin(job));
    if (how == WHERE_SECONDS)
        return say_seconds(job);
    return say_one(job, how == WHERE_LINES ? NULL : far_hosts_begin(job), how);
}

int where_run(const char *word, enum where_how how)
{
    static struct job_view *job; /* kept to the end */
    int refused, jobs = job_list(&job, &refused);

    if (jobs < 0) {
        fprintf(stderr, "inkling: where: no memory for the jobs of this host\n");
        return 1;
    }
    for (int i = 0; word && i < jobs; i++)
        if (is_job(&job[i], word))
            return say_found(&job[i], how);
    if (word)
        return say_elsewhere(word, how);
    if (how == WHERE_WATCH) {
        fprintf(stderr, "inkling: where --watch: name a job; `inkling where` lists them\n");
        return 1;
    }
    if (how == WHERE_JSON)
        say_jobs_json(stdout, job, jobs);
    else
        say_jobs(stdout, job, jobs);
    if (refused)
        fprintf(stderr,
                "inkling: where: %d more process%s of this user may not be read, as ptrace is not permitted "
                "here; "
                "`inkling where PID` says more\n",
                refused, refused > 1 ? "es" : "");
    return 0;
}
