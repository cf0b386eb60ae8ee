#include "cmd/mpiexec/pmi/server.h"

#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/run/output.h"
#include "cmd/mpiexec/run/told.h"
#include "cmd/mpiexec/run/verdict.h"
#include "hint/report.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/port_lines.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    BATCH = 64,
    QUIET_MS = 100 /* after the launcher's end: nobody calls any more */
};

#define LOOK_NS ((uint64_t)1000 * 1000 * 1000) /* between looks at callers that say nothing */
#define START_NS                                                                                             \
    ((uint64_t)3 * 1000 * 1000 * 1000) /* after a death in MPI_Init, for others to pass the last fence */
#define LAST_NS ((uint64_t)2 * 1000 * 1000 * 1000) /* for what ranks of a host that is gone were to tell */

struct far_rank {
    int rank; /* -1: it has not said */
    char host[65];
    bool has_started; /* it has said that MPI has, so no rank is awaited at a fence any more */
    bool is_over;     /* it has said that it ends */
    struct port_connection connection;
    struct port_lines lines;
};

static int events = -1;     /* an epoll: of the port, whose data are NULL, and of each connection */
static int count_open;      /* connections */
static uint64_t look_again; /* at the port, without an event */
static bool any_came;
static bool *is_whole; /* by rank: it has told all */
static int count_finished, count_dead;
static bool any_started;
static int died_early = -1;  /* a rank that has died while MPI was starting; -1: none */
static bool started_in_vain; /* the job is ended for that: who ends now has not died by itself */

bool far_ranks_tell(const struct job *job)
{
    return hint_process.value[HINT_STATS] || job->hints_report || report_level() != REPORT_OFF ||
           hint_process.value[HINT_SURVIVE];
}

static int far_ranks_watch(int fd, void *of)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = of};

    return epoll_ctl(events, EPOLL_CTL_ADD, fd, &event);
}

int far_ranks_open(struct job *job)
{
    char *name = words_allocate(MPI_MAX_PORT_NAME);
    int port_events, error = port_open(name, hint_process.text[HINT_OFI_INTERFACE]);

    if (!error)
        error = port_dup_events(name, &port_events);
    if (error)
        return error;
    events = epoll_create1(EPOLL_CLOEXEC);
    if (events < 0 || far_ranks_watch(port_events, NULL))
        return fail(MPI_ERR_OTHER, "mpiexec cannot wait for ranks of other hosts: %s", strerror(errno));
    job->report_port = name;
    return MPI_SUCCESS;
}

int far_ranks_events(void)
{
    return events;
}

static void drop(struct far_rank *f)
{
    close(f->connection.fd);
    free(f);
    count_open--;
}

static int accept_one(const struct job *job, bool *came)
{
    struct port_connection c;
    struct far_rank *f;
    int error = port_accept(job->report_port, 0, &c);

    *came = !error && c.fd >= 0;
    if (!*came)
        return error;
    port_limit_silence(&c, (uint64_t)hint_value(&hint_process, HINT_CONNECT_TIMEOUT));
    f = words_allocate(sizeof *f);
    *f = (struct far_rank){.rank = -1, .connection = c};
    count_open++;
    if (far_ranks_watch(c.fd, f))
        drop(f);
    return MPI_SUCCESS;
}

static int far_rank_take_number(const struct job *job, struct far_rank *f, const struct pmi_line *line)
{
    int number, error = pmi_line_int(line, "rank", &number);

    if (error)
        return error;
    if (!pmi_line_is(line, "rank") || number < 0 || number >= job->world_size)
        return fail(MPI_ERR_OTHER, "PMI rank: it is none of the %d of the job", job->world_size);
    if (!is_whole)
        is_whole = words_allocate((size_t)job->world_size * sizeof *is_whole);
    f->rank = number;
    snprintf(f->host, sizeof f->host, "%s", pmi_line_find(line, "host") ? pmi_line_find(line, "host") : "?");
    is_whole[number] = false; /* again, if it starts MPI again */
    any_came = true;
    return MPI_SUCCESS;
}

static int far_rank_take_line(struct job *job, struct far_rank *f, char *text)
{
    struct pmi_line line;
    int error = pmi_line_parse(text, &line);

    if (error)
        return error;
    if (f->rank < 0)
        return far_rank_take_number(job, f, &line);
    f->has_started = f->has_started || pmi_line_is(&line, "started");
    any_started = any_started || f->has_started;
    f->is_over = pmi_line_is(&line, "over");
    return f->is_over || pmi_line_is(&line, "started") ? MPI_SUCCESS : server_take_told(job, f->rank, &line);
}

/* Its connection is gone without a word. By which signal its launcher knows, if anybody. */
static void say_died(const struct job *job, const struct far_rank *f)
{
    char line[256];
    int used = snprintf(
        line, sizeof line, "mpiexec: rank %d on host %s died after %.3f s; %d of %d ranks go on\n", f->rank,
        f->host, (double)(clock_ns() - job->begin_ns) / 1e9, job->world_size - count_dead, job->world_size);

    writer_write(STDERR_FILENO, line, (size_t)used);
}

static void far_rank_end(const struct job *job, struct far_rank *f, bool is_whole_word)
{
    bool survives = hint_process.value[HINT_SURVIVE];

    if (f->rank >= 0)
        is_whole[f->rank] = is_whole_word || survives;
    count_finished += f->rank >= 0 && f->is_over;
    if (f->rank >= 0 && !f->is_over && survives && !started_in_vain) {
        count_dead++;
        say_died(job, f);
        died_early = f->has_started ? died_early : f->rank;
    }
    drop(f);
}

int far_ranks_code(int code)
{
    if (!hint_process.value[HINT_SURVIVE] || !count_dead)
        return code;
    return count_finished ? 0 : code ? code : 1;
}

/* All ranks have ended, some without a word. Some launchers (Open MPI's) wait for these for ever. */
static void end_launcher(struct job *job, uint64_t now)
{
    static uint64_t since;

    if (!hint_process.value[HINT_SURVIVE] || !count_dead || count_finished + count_dead < job->world_size)
        return;
    if (!since)
        since = now;
    if (now >= since + LOOK_NS)
        verdict_end(job, 0);
}

/* A fence of the launcher waits for all ranks, also for dead ones. */
static void end_start(struct job *job, uint64_t now)
{
    static uint64_t since;
    char line[256];
    int used;

    if (died_early < 0 || any_started || job->ending)
        return;
    if (!since)
        since = now;
    if (now < since + START_NS)
        return;
    used = snprintf(
        line, sizeof line,
        "mpiexec: rank %d died in MPI_Init, where the others would wait for it for ever; the job ends\n",
        died_early);
    writer_write(STDERR_FILENO, line, (size_t)used);
    started_in_vain = true;
    verdict_end(job, 1);
}

static void far_rank_receive(struct job *job, struct far_rank *f)
{
    char *line;
    int error;

    do {
        error = port_lines_next(&f->connection, &f->lines, &line);
        if (!error && line)
            error = far_rank_take_line(job, f, line);
    } while (!error && line);
    if (!error && !f->lines.is_over)
        return;
    far_rank_end(job, f, !error);
}

uint64_t far_ranks_receive(struct job *job, uint64_t now)
{
    struct epoll_event event[BATCH];
    int n = events >= 0 ? epoll_wait(events, event, BATCH, 0) : 0;
    bool came = now >= look_again;

    if (events < 0)
        return 0;
    for (int i = 0; i < n; i++)
        if (event[i].data.ptr)
            far_rank_receive(job, event[i].data.ptr);
        else
            came = true;
    end_launcher(job, now);
    end_start(job, now);
    if (now >= look_again)
        look_again = now + LOOK_NS;
    while (came && accept_one(job, &came) == MPI_SUCCESS)
        ;
    return look_again;
}

static bool is_all_told(const struct job *job)
{
    for (int i = 0; i < job->world_size; i++)
        if (!is_whole || !is_whole[i])
            return false;
    return count_open == 0;
}

/* A program that never starts MPI has nothing to tell. */
static void say_what_is_missing(const struct job *job)
{
    bool *lacks = words_allocate((size_t)job->world_size * sizeof *lacks);
    char ranks[256], text[512];
    int length;

    for (int i = 0; i < job->world_size; i++)
        lacks[i] = !is_whole[i];
    words_list_ranks(lacks, job->world_size, ranks, sizeof ranks);
    length = snprintf(text, sizeof text,
                      "mpiexec: the report lacks what ranks %s of %d told last, or all of it: they did not "
                      "reach mpiexec, or "
                      "their connection broke\n",
                      ranks, job->world_size);
    writer_write(STDERR_FILENO, text, (size_t)length);
}

void far_ranks_close(struct job *job)
{
    uint64_t end = clock_ns() + LAST_NS;
    struct pollfd something = {.fd = events, .events = POLLIN};

    if (events < 0)
        return;
    while (!is_all_told(job) && clock_ns() < end && (poll(&something, 1, QUIET_MS) > 0 || count_open > 0))
        far_ranks_receive(job, clock_ns());
    if (any_came && !is_all_told(job))
        say_what_is_missing(job);
    port_close(job->report_port);
}
