#include "cmd/where/far_hosts.h"

#include "cmd/where/view_lines.h"
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
    ANSWER_MS = 8000, /* from the start of its question */
    AT_ONCE = 16,     /* questions under way */
    LIST_MOST = 1 << 16,
    WORDS_MOST = 24
};

/* One run of the launcher. */
struct host_question {
    char host[256]; /* or hosts */
    pid_t pid;      /* 0: it does not run */
    uint64_t begin_ns;
    FILE *said, *complaint; /* owned; what it writes to standard output and error */
};

struct far_hosts {
    char launcher[32], job[TRACED_JOB_SIZE], slurm_job[32], nodes[16];
    char hosts[LIST_MOST]; /* separated by commas */
    const char *next;      /* in it: not asked yet */
    struct host_question question[AT_ONCE];
};

/* "NAME LAUNCHER HOST:SLOTS,...": without the slots. */
static bool take_hosts(struct far_hosts *h, const char *text)
{
    size_t used = 0;
    int at = 0;

    if (sscanf(text, "%127s %31s %n", h->job, h->launcher, &at) < 2 || !at)
        return false;
    for (const char *c = text + at; *c && used + 1 < sizeof h->hosts; c++)
        if (*c == ':')
            c += strspn(c + 1, "0123456789");
        else
            h->hosts[used++] = *c;
    return used > 0;
}

/* What the environment of one of its processes says of the job. */
static bool make_plan(struct far_hosts *h, pid_t pid, const char *job)
{
    static char text[LIST_MOST];
    bool is_known;

    traced_variable(pid, "INKLING_JOB_HOSTS", text, sizeof text);
    is_known = take_hosts(h, text);
    traced_variable(pid, "SLURM_JOB_ID", h->slurm_job, sizeof h->slurm_job);
    traced_variable(pid, "SLURM_STEP_NODELIST", text, sizeof text);
    if (*h->slurm_job && *text && (!is_known || strcmp(h->launcher, "srun") == 0)) {
        snprintf(h->hosts, sizeof h->hosts, "%s", text);
        traced_variable(pid, "SLURM_STEP_NUM_NODES", h->nodes, sizeof h->nodes);
        snprintf(h->launcher, sizeof h->launcher, "srun");
        if (!is_known)
            snprintf(h->job, sizeof h->job, "%s", job);
        is_known = true;
    }
    h->next = h->hosts;
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

/* The hosts of the next question. Slurm takes all of them at once; other launchers might mix the lines of several. */
static bool take_next(struct far_hosts *h, char *host, size_t room)
{
    size_t length;

    if (strcmp(h->launcher, "srun") == 0)
        length = strlen(h->next);
    else
        while (length = strcspn(h->next, ","), is_own(h->next, length))
            h->next += length + (h->next[length] == ',');
    if (!length || length >= room)
        return false;
    if (!*h->nodes)
        snprintf(h->nodes, sizeof h->nodes, "%d", count_commas(h->next) + 1);
    snprintf(host, room, "%.*s", (int)length, h->next);
    h->next += length + (h->next[length] == ',');
    return true;
}

/* The words of the command that asks, in front of those of inkling; returns how many. */
static int make_words(struct far_hosts *h, char *host, char **word)
{
    int count = 0;

    word[count++] = h->launcher;
    if (strcmp(h->launcher, "srun") == 0) {
        static char job[64], nodes[64];

        snprintf(job, sizeof job, "--jobid=%.32s", h->slurm_job);
        snprintf(nodes, sizeof nodes, "--nodes=%.16s", h->nodes);
        word[count++] = job;
        word[count++] = nodes;
        word[count++] = "--ntasks-per-node=1";
        word[count++] = "--overlap";
        word[count++] = "--mpi=none";
        word[count++] = "--input=none";
        word[count++] = "-w";
    } else if (strcmp(h->launcher, "mpiexec.hydra") == 0) {
        word[count++] = "-hosts";
    } else {
        if (geteuid() == 0)
            word[count++] = "--allow-run-as-root";
        word[count++] = "--host";
    }
    word[count++] = host;
    if (strcmp(h->launcher, "srun") != 0) {
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

static bool start_question(struct host_question *q, char **word)
{
    char **environment = make_environment();
    posix_spawn_file_actions_t files;
    bool is_started = false;

    q->said = tmpfile();
    q->complaint = tmpfile();
    q->begin_ns = clock_ns();
    if (environment && q->said && q->complaint && posix_spawn_file_actions_init(&files) == 0) {
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&files, fileno(q->said), STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&files, fileno(q->complaint), STDERR_FILENO);
        is_started = posix_spawnp(&q->pid, word[0], &files, NULL, word, environment) == 0;
        posix_spawn_file_actions_destroy(&files);
    }
    if (!is_started)
        q->pid = 0;
    free(environment);
    return is_started;
}

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
    static char inkling[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", inkling, sizeof inkling - 1);
    char *word[WORDS_MOST];
    int count;

    if (length <= 0 || !take_next(h, q->host, sizeof q->host))
        return;
    inkling[length] = 0;
    count = make_words(h, q->host, word);
    word[count++] = inkling;
    word[count++] = "where";
    word[count++] = "--lines";
    word[count++] = h->job;
    word[count] = NULL;
    if (!start_question(q, word)) {
        say_unanswered(q, h->launcher, false);
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
        say_unanswered(q, h->launcher, is_late);
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

    if (h && make_plan(h, job->first.pid, job->name))
        return begin_asking(h, job);
    free(h);
    return NULL;
}

struct far_hosts *far_hosts_begin_of(int number, struct job_view *job)
{
    struct far_hosts *h = calloc(1, sizeof *h);
    struct dirent *entry;
    DIR *d = opendir("/proc");
    bool is_found = false;

    while (h && d && !is_found && (entry = readdir(d)) != NULL)
        is_found = isdigit((unsigned char)*entry->d_name) && make_plan(h, atoi(entry->d_name), "") &&
                   atoi(h->job) == number;
    if (d)
        closedir(d);
    if (is_found)
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
