#include "cmd/where/far_hosts.h"

#include "plain/clock.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WORDS_MOST = 24
};

/* "NAME LAUNCHER HOST:SLOTS,...": without the slots. */
static bool take_hosts(struct far_plan *p, const char *text)
{
    size_t used = 0;
    int at = 0;

    if (sscanf(text, "%127s %31s %n", p->job, p->launcher, &at) < 2 || !at)
        return false;
    for (const char *c = text + at; *c && used + 1 < sizeof p->hosts; c++)
        if (*c == ':')
            c += strspn(c + 1, "0123456789");
        else
            p->hosts[used++] = *c;
    return used > 0;
}

bool far_plan_make(struct far_plan *p, pid_t pid, const char *job)
{
    static char text[FAR_LIST];
    bool is_known;

    traced_variable(pid, "INKLING_JOB_HOSTS", text, sizeof text);
    is_known = take_hosts(p, text);
    traced_variable(pid, "SLURM_JOB_ID", p->slurm_job, sizeof p->slurm_job);
    traced_variable(pid, "SLURM_STEP_NODELIST", text, sizeof text);
    if (*p->slurm_job && *text && (!is_known || strcmp(p->launcher, "srun") == 0)) {
        snprintf(p->hosts, sizeof p->hosts, "%s", text);
        traced_variable(pid, "SLURM_STEP_NUM_NODES", p->nodes, sizeof p->nodes);
        snprintf(p->launcher, sizeof p->launcher, "srun");
        if (!is_known)
            snprintf(p->job, sizeof p->job, "%s", job);
        is_known = true;
    }
    p->next = p->hosts;
    return is_known;
}

static int count_commas(const char *list)
{
    int count = 0;

    for (; *list; list++)
        count += *list == ',';
    return count;
}

/* Whether the name is this host's, whose ranks are seen from here. */
static bool is_own(const char *host, size_t length)
{
    char own[256] = "";

    gethostname(own, sizeof own - 1);
    return strlen(own) == length && strncmp(own, host, length) == 0;
}

/* Slurm takes all of them at once; other launchers might mix the lines of several. */
bool far_plan_next(struct far_plan *p, char *host, size_t room)
{
    size_t length;

    if (strcmp(p->launcher, "srun") == 0)
        length = strlen(p->next);
    else
        while (length = strcspn(p->next, ","), is_own(p->next, length))
            p->next += length + (p->next[length] == ',');
    if (!length || length >= room)
        return false;
    if (!*p->nodes)
        snprintf(p->nodes, sizeof p->nodes, "%d", count_commas(p->next) + 1);
    snprintf(host, room, "%.*s", (int)length, p->next);
    p->next += length + (p->next[length] == ',');
    return true;
}

/* The words of the command that asks, in front of those of inkling; returns how many. */
static int make_words(struct far_plan *p, char *host, bool goes_on, char **word)
{
    int count = 0;

    word[count++] = p->launcher;
    if (strcmp(p->launcher, "srun") == 0) {
        static char job[64], nodes[64];

        snprintf(job, sizeof job, "--jobid=%.32s", p->slurm_job);
        snprintf(nodes, sizeof nodes, "--nodes=%.16s", p->nodes);
        word[count++] = job;
        word[count++] = nodes;
        word[count++] = "--ntasks-per-node=1";
        word[count++] = "--overlap";
        word[count++] = "--mpi=none";
        word[count++] = "--input=none";
        if (goes_on)
            word[count++] = "--label";
        word[count++] = "-w";
    } else if (strcmp(p->launcher, "mpiexec.hydra") == 0) {
        word[count++] = "-hosts";
    } else {
        if (geteuid() == 0)
            word[count++] = "--allow-run-as-root";
        word[count++] = "--host";
    }
    word[count++] = host;
    if (strcmp(p->launcher, "srun") != 0) {
        word[count++] = "-n";
        word[count++] = "1";
    }
    return count;
}

/* Whether a launcher would take this process for one of a job. */
static bool is_of_job(const char *entry)
{
    static const char *const names[] = {"PMI_", "PMIX_", "INKLING_JOB_", "HYDI_", "MPIEXEC_"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(entry, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* This process's environment without what it has of a job. The caller frees it. */
static char **make_environment(void)
{
    size_t count = 0, kept = 0;
    char **made;

    while (environ[count])
        count++;
    made = calloc(count + 1, sizeof *made);
    for (size_t i = 0; made && i < count; i++)
        if (!is_of_job(environ[i]))
            made[kept++] = environ[i];
    return made;
}

static pid_t start_words(char **word, int out, int err)
{
    char **environment = make_environment();
    posix_spawn_file_actions_t files;
    pid_t pid = 0;

    if (environment && posix_spawn_file_actions_init(&files) == 0) {
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
        if (posix_spawnp(&pid, word[0], &files, NULL, word, environment) != 0)
            pid = 0;
        posix_spawn_file_actions_destroy(&files);
    }
    free(environment);
    return pid;
}

pid_t far_plan_ask(struct far_plan *p, char *host, bool goes_on, int out, int err)
{
    static char inkling[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", inkling, sizeof inkling - 1);
    char *word[WORDS_MOST];
    int count;

    if (length <= 0)
        return 0;
    inkling[length] = 0;
    count = make_words(p, host, goes_on, word);
    word[count++] = inkling;
    word[count++] = "where";
    word[count++] = "--lines";
    if (goes_on)
        word[count++] = "--watch";
    word[count++] = p->job;
    word[count] = NULL;
    return start_words(word, out, err);
}

bool far_plan_find(struct far_plan *p, int number)
{
    struct dirent *entry;
    DIR *d = opendir("/proc");
    bool is_found = false;

    while (d && !is_found && (entry = readdir(d)) != NULL)
        is_found = isdigit((unsigned char)*entry->d_name) && far_plan_make(p, atoi(entry->d_name), "") &&
                   atoi(p->job) == number;
    if (d)
        closedir(d);
    return is_found;
}

bool far_plan_has_labels(const struct far_plan *p)
{
    return strcmp(p->launcher, "srun") == 0;
}

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
