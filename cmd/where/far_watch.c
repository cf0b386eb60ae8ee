#include "cmd/where/far_hosts.h"

#include "plain/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    HOSTS_MOST = 64,         /* runs of the launcher */
    FRESH_MS = 5000,         /* what was said earlier counts no longer */
    FIRST_MS = 4000,         /* until a host tells for the first time */
    LOOK_MS = 1000,          /* that a host takes to look at most */
    END_MS = 2000,           /* that a launcher has to end */
    BLOCK_MOST = 64 << 20,   /* bytes that a host says of its ranks */
    LABELS_MOST = JOB_RANKS, /* hosts of one run */
    TAKE = 1 << 16
};

struct text {
    char *at; /* owned */
    size_t bytes, room;
};

/* What one host says. */
struct far_voice {
    long label;
    struct text coming, whole; /* the lines of a second that is not over, and those of the last one that is */
    uint64_t came_ns;          /* 0: none is */
};

/* One run of the launcher. */
struct far_run {
    char host[256];
    pid_t pid; /* 0: it has ended */
    int pipe;
    struct text line; /* whose end has not come */
    struct far_voice *voice;
    int voices;
    uint64_t begin_ns;
};

struct far_watch {
    struct far_plan plan;
    struct far_run run[HOSTS_MOST];
    int runs;
};

static bool append_bytes(struct text *t, const char *from, size_t bytes)
{
    if (t->bytes + bytes > BLOCK_MOST)
        return false;
    if (t->bytes + bytes > t->room) {
        size_t room = 2 * (t->bytes + bytes);
        char *more = realloc(t->at, room);

        if (!more)
            return false;
        t->at = more;
        t->room = room;
    }
    memcpy(t->at + t->bytes, from, bytes);
    t->bytes += bytes;
    return true;
}

static void start_launcher(struct far_watch *w, struct far_run *r)
{
    int ends[2], null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    r->begin_ns = clock_ns();
    if (null >= 0 && pipe2(ends, O_CLOEXEC) == 0) {
        r->pid = far_plan_ask(&w->plan, r->host, true, ends[1], null);
        close(ends[1]);
        r->pipe = ends[0];
        fcntl(r->pipe, F_SETFL, O_NONBLOCK);
        if (!r->pid)
            close(r->pipe);
    }
    if (null >= 0)
        close(null);
}

static struct far_watch *start_telling(struct far_watch *w)
{
    while (w->runs < HOSTS_MOST && far_plan_next(&w->plan, w->run[w->runs].host, sizeof w->run->host))
        start_launcher(w, &w->run[w->runs++]);
    return w;
}

struct far_watch *far_watch_begin(const struct job_view *job)
{
    struct far_watch *w = job->present < job->size ? calloc(1, sizeof *w) : NULL;

    if (w && far_plan_make(&w->plan, job->first.pid, job->name))
        return start_telling(w);
    free(w);
    return NULL;
}

struct far_watch *far_watch_begin_of(int number)
{
    struct far_watch *w = calloc(1, sizeof *w);

    if (w && far_plan_find(&w->plan, number))
        return start_telling(w);
    free(w);
    return NULL;
}

static struct far_voice *find_voice(struct far_run *r, long label)
{
    struct far_voice *more;

    for (int i = 0; i < r->voices; i++)
        if (r->voice[i].label == label)
            return &r->voice[i];
    more = r->voices < LABELS_MOST ? realloc(r->voice, (size_t)(r->voices + 1) * sizeof *more) : NULL;
    if (!more)
        return NULL;
    r->voice = more;
    more += r->voices++;
    *more = (struct far_voice){.label = label};
    return more;
}

/* A line with its end. */
static void take_voice_line(const struct far_watch *w, struct far_run *r, char *line, size_t bytes)
{
    static const char last[] = "job end\n";
    struct far_voice *v;
    struct text before;
    char *text = line;
    long label = 0;

    if (far_plan_has_labels(&w->plan)) {
        label = strtol(line, &text, 10);
        if (text == line || strncmp(text, ": ", 2) != 0)
            return;
        text += 2;
    }
    bytes -= (size_t)(text - line);
    v = find_voice(r, label);
    if (!v)
        return;
    if (bytes != sizeof last - 1 || memcmp(text, last, bytes) != 0) {
        append_bytes(&v->coming, text, bytes);
        return;
    }
    before = v->whole;
    v->whole = v->coming;
    v->coming = before;
    v->coming.bytes = 0;
    v->came_ns = clock_ns();
}

static void take_told_lines(const struct far_watch *w, struct far_run *r)
{
    char *at = r->line.at, *end = at + r->line.bytes, *next;

    while (at < end && (next = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        next++; /* behind the line's end */
        take_voice_line(w, r, at, (size_t)(next - at));
        at = next;
    }
    r->line.bytes = (size_t)(end - at);
    memmove(r->line.at, at, r->line.bytes);
}

static void end_run(struct far_run *r)
{
    close(r->pipe);
    kill(r->pid, SIGTERM);
    for (uint64_t end = clock_ns() + END_MS * UINT64_C(1000000); waitpid(r->pid, NULL, WNOHANG) == 0;) {
        nanosleep(&(struct timespec){0, 10 * 1000 * 1000}, NULL);
        if (clock_ns() > end)
            kill(r->pid, SIGKILL);
    }
    r->pid = 0;
}

static void take_run_output(const struct far_watch *w, struct far_run *r)
{
    static char bytes[TAKE];
    ssize_t n;

    while ((n = read(r->pipe, bytes, sizeof bytes)) > 0)
        if (append_bytes(&r->line, bytes, (size_t)n))
            take_told_lines(w, r);
    if (n == 0 || (errno != EAGAIN && errno != EINTR))
        end_run(r);
}

void far_watch_take(struct far_watch *w)
{
    for (int i = 0; i < w->runs; i++)
        if (w->run[i].pid)
            take_run_output(w, &w->run[i]);
}

bool far_watch_goes_on(const struct far_watch *w)
{
    for (int i = 0; i < w->runs; i++)
        if (w->run[i].pid)
            return true;
    return false;
}

static bool is_fresh(const struct far_voice *v)
{
    return v->came_ns && clock_ns() - v->came_ns < FRESH_MS * UINT64_C(1000000);
}

/* Hosts look at different moments: a wait counts if it had begun before the first of them. */
static void add_voice(struct job_view *job, const struct far_voice *v)
{
    uint64_t asked = v->came_ns - LOOK_MS * UINT64_C(1000000);
    FILE *in = v->whole.bytes ? fmemopen(v->whole.at, v->whole.bytes, "r") : NULL;

    if (!in)
        return;
    view_lines_read(in, job, v->came_ns);
    fclose(in);
    if (!job->asked_ns || asked < job->asked_ns)
        job->asked_ns = asked;
}

void far_watch_add(struct far_watch *w, struct job_view *job)
{
    job->asked_ns = 0;
    for (int r = 0; r < job->size; r++)
        if (job->rank[r] && *job->rank[r]->host) {
            free(job->rank[r]);
            job->rank[r] = NULL;
        }
    for (int i = 0; i < w->runs; i++)
        for (int k = 0; k < w->run[i].voices; k++)
            if (is_fresh(&w->run[i].voice[k]))
                add_voice(job, &w->run[i].voice[k]);
}

static bool knows_all(const struct job_view *job)
{
    for (int r = 0; r < job->size; r++)
        if (!job->rank[r])
            return false;
    return job->size > 0;
}

void far_watch_await(struct far_watch *w, struct job_view *job)
{
    const struct timespec moment = {0, 20 * 1000 * 1000};
    uint64_t end = clock_ns() + FIRST_MS * UINT64_C(1000000);

    while (!knows_all(job) && far_watch_goes_on(w) && clock_ns() < end) {
        nanosleep(&moment, NULL);
        far_watch_take(w);
        far_watch_add(w, job);
    }
}

void far_watch_say_silent(const struct far_watch *w, FILE *out)
{
    for (int i = 0; i < w->runs; i++) {
        const struct far_run *r = &w->run[i];
        bool tells = false;

        for (int k = 0; k < r->voices; k++)
            tells = tells || is_fresh(&r->voice[k]);
        if (!tells && (!r->pid || clock_ns() - r->begin_ns > FRESH_MS * UINT64_C(1000000)))
            fprintf(out, "%s does not tell of its ranks, asked with %s\n", r->host, w->plan.launcher);
    }
}

void far_watch_end(struct far_watch *w)
{
    for (int i = 0; i < w->runs; i++) {
        if (w->run[i].pid)
            end_run(&w->run[i]);
        for (int k = 0; k < w->run[i].voices; k++) {
            free(w->run[i].voice[k].coming.at);
            free(w->run[i].voice[k].whole.at);
        }
        free(w->run[i].voice);
        free(w->run[i].line.at);
    }
    free(w);
}
