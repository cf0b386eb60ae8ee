#include "cmd/mpiexec/run/event_loop.h"

#include "cmd/mpiexec/launch/launch.h"
#include "cmd/mpiexec/pmi/server.h"
#include "cmd/mpiexec/run/output.h"
#include "cmd/mpiexec/run/survival.h"
#include "cmd/mpiexec/run/told.h"
#include "cmd/mpiexec/run/verdict.h"
#include "cmd/mpiexec/spawn/spawned.h"
#include "hint/hint.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/name_directory.h"

#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The source of an event: the upper half of its number. The lower half is the rank. */
enum source {
    SOURCE_SIGNAL,
    SOURCE_TERMINAL,
    SOURCE_CONTROL,
    SOURCE_SOCKET,
    SOURCE_WRITER,
    SOURCE_STREAMS,
    SOURCE_FAR,
    SOURCE_STDOUT,
    SOURCE_STDERR
};

enum {
    BATCH = 64,
    ASKED_AGAIN_MS = 3000, /* a second ^\ in this time ends the ranks */
    GRACE_MS = 400,        /* from SIGTERM to SIGKILL */
    GOES_ON_MS = 1000,     /* from ^C to telling of the next one */
    GIVE_UP_MS = 5000,     /* from SIGKILL to exiting without them */
    STOP_MS = 500,         /* from a rank's stop to telling of it */
    TERMINAL_MS = 200,     /* between attempts to read a terminal that cannot be read now */
    SWEEP_NS = 10000000,   /* between rounds of the final sweep */
    SWEEP_ROUNDS = 300,
    SWEEP_GENTLE = 30, /* rounds before SIGKILL */
    READER_MS = 1000   /* without a byte read, after a job that was ended: its reader has stopped */
};

static const int watched_signals[] = {SIGCHLD, SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                      SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGPIPE};

static uint64_t end_ns;       /* --timeout; 0: none */
static uint64_t kill_ns;      /* when survivors get SIGKILL; 0: they are not being ended */
static bool killed;           /* the survivors got SIGKILL */
static uint64_t goes_on_ns;   /* when to say that the ranks go on after ^C; 0: never */
static uint64_t stops_due_ns; /* when to look for stopped ranks to tell of; 0: there are none */
static bool terminal_watched; /* in the epoll now */
static bool terminal_awaited; /* try again later */

static int add_to(int epoll, uint32_t events, int fd, enum source source, int rank)
{
    struct epoll_event event = {.events = events, .data.u64 = (uint64_t)source << 32 | (uint32_t)rank};

    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static int event_loop_add(struct job *job, int fd, enum source source, int rank)
{
    return add_to(job->events, EPOLLIN, fd, source, rank);
}

static int fail_watch(const char *call)
{
    return fail(MPI_ERR_OTHER, "mpiexec cannot wait for its ranks: %s: %s", call, strerror(errno));
}

/* While something waits for its reader, nothing more is read of the ranks' streams that go there. */
static void mind_writers(struct job *job)
{
    static int awaited[2] = {-1, -1};

    writer_flush();
    for (int i = 0; i < 2; i++) {
        int fd = writer_waits(i + 1);

        if (awaited[i] >= 0 && fd < 0) {
            epoll_ctl(job->events, EPOLL_CTL_DEL, awaited[i], NULL);
            event_loop_add(job, job->streams[i], SOURCE_STREAMS, i);
        } else if (awaited[i] < 0 && fd >= 0) {
            add_to(job->events, EPOLLOUT, fd, SOURCE_WRITER, 0);
            epoll_ctl(job->events, EPOLL_CTL_DEL, job->streams[i], NULL);
        }
        awaited[i] = fd;
    }
}

static void look_at_terminal(struct job *job)
{
    if (input_is_foreground() && !terminal_watched) {
        terminal_watched = event_loop_add(job, STDIN_FILENO, SOURCE_TERMINAL, 0) == 0;
        terminal_awaited = false;
    }
}

/* Stops watching the terminal when it cannot be read now (background, or rank 0 does not read): its events
 * would never end. */
static void forward_terminal(struct job *job)
{
    epoll_ctl(job->events, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
    terminal_watched = false;
    terminal_awaited = input_forward();
}

/* nohup has a job started so that it outlives its terminal. */
static bool is_hangup_ignored(void)
{
    struct sigaction found;

    return sigaction(SIGHUP, NULL, &found) == 0 && found.sa_handler == SIG_IGN;
}

/* Signals are read, never handled, so nothing in the event loop is interrupted. SIGPIPE is only blocked. */
static int open_signals(struct job *job)
{
    sigset_t ours;

    sigemptyset(&ours);
    for (size_t i = 0; i < sizeof watched_signals / sizeof *watched_signals; i++)
        sigaddset(&ours, watched_signals[i]);
    if (is_hangup_ignored())
        sigdelset(&ours, SIGHUP);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &ours, &job->mask);
    sigdelset(&ours, SIGPIPE);
    job->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    if (job->signals < 0)
        return fail_watch("signalfd");
    return event_loop_add(job, job->signals, SOURCE_SIGNAL, 0) ? fail_watch("epoll_ctl") : MPI_SUCCESS;
}

static int open_events(struct job *job)
{
    job->events = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < 2; i++)
        job->streams[i] = epoll_create1(EPOLL_CLOEXEC);
    if (job->events < 0 || job->streams[0] < 0 || job->streams[1] < 0)
        return fail_watch("epoll_create1");
    if (event_loop_add(job, job->streams[0], SOURCE_STREAMS, 0) ||
        event_loop_add(job, job->streams[1], SOURCE_STREAMS, 1) ||
        (far_ranks_events() >= 0 && event_loop_add(job, far_ranks_events(), SOURCE_FAR, 0)))
        return fail_watch("epoll_ctl");
    return open_signals(job);
}

static void rank_ended(struct job *job, int number, int status)
{
    struct rank *rank = &job->rank[number];

    server_handle(job, number); /* its last messages */
    for (int i = 0; i < 2; i++)
        output_catch_up(&rank->stream[i], number);
    rank->pid = 0;
    rank->status = status;
    guard_note(number, 0);
    job->alive--;
    verdict_exit(job, number, status);
    if (!job->ending)
        server_check_fence(job);
    if (!job->ending)
        server_check_absent(job);
}

static int find_rank(const struct job *job, pid_t pid)
{
    for (int i = 0; i < job->size; i++)
        if (job->rank[i].pid == pid)
            return i;
    return -1;
}

/* Kills the group of a rank that failed. While its leader is not waited for, the group's number cannot be
 * reused. While the job is being ended, what the leader has started has the same time as others to end by itself; the final sweep
 * kills it. */
static void reap(struct job *job)
{
    siginfo_t info = {0};

    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid > 0) {
        int number = find_rank(job, info.si_pid), status = 0;
        bool failed = info.si_code != CLD_EXITED || info.si_status != 0;

        if (number >= 0 && (job->ending ? killed : failed))
            kill(-info.si_pid, SIGKILL);
        waitpid(info.si_pid, &status, 0);
        if (number >= 0)
            rank_ended(job, number, status);
        else if (!where_report_ended(info.si_pid))
            spawn_nested_ended(job, info.si_pid, status);
        info.si_pid = 0;
    }
}

static void warn_of_stop(struct job *job, int number)
{
    int signal = job->rank[number].stop;
    const char *why =
        signal == SIGTTOU   ? ": it wrote to the terminal or set its modes; use --label or `stty -tostop`"
        : signal == SIGTTIN ? ": it read the terminal, which is mpiexec's; rank 0 has its standard input"
                            : "";
    char text[256];

    snprintf(text, sizeof text, "stopped by SIG%s%s; `kill -CONT %ld` lets all go on", sigabbrev_np(signal),
             why, (long)getpid());
    warnings_add(job, number, text);
    job->rank[number].stop_told = true;
}

/* Tells of the ranks that have been stopped for STOP_MS, once each. */
static void tell_of_stops(struct job *job, uint64_t now)
{
    stops_due_ns = 0;
    for (int i = 0; i < job->size && !job->ending; i++) {
        uint64_t due = job->rank[i].stop_ns + STOP_MS * 1000000ull;

        if (!job->rank[i].stop || job->rank[i].stop_told)
            continue;
        if (due <= now)
            warn_of_stop(job, i);
        else if (!stops_due_ns || due < stops_due_ns)
            stops_due_ns = due;
    }
}

/* SIGTSTP is not news: mpiexec passes it on. */
static void notice_stops(struct job *job)
{
    siginfo_t info = {0};

    while (waitid(P_ALL, 0, &info, WSTOPPED | WCONTINUED | WNOHANG) == 0 && info.si_pid > 0) {
        int number = find_rank(job, info.si_pid);
        bool is_stop = info.si_code == CLD_STOPPED && info.si_status != SIGTSTP;

        info.si_pid = 0;
        if (number < 0)
            continue;
        job->rank[number].stop = is_stop ? info.si_status : 0;
        job->rank[number].stop_ns = clock_ns();
        if (is_stop && !stops_due_ns)
            stops_due_ns = job->rank[number].stop_ns + STOP_MS * 1000000ull;
    }
}

static void pass_on(struct job *job, int signal)
{
    verdict_signal(job, signal);
    spawn_nested_signal(signal);
}

/* ^Z: the ranks stop, and mpiexec with them. */
static void suspend(struct job *job)
{
    pass_on(job, SIGTSTP);
    kill(getpid(), SIGSTOP);
}

/* Forwards ^C and similar signals to the ranks. The second one kills. */
static void ask_to_end(struct job *job, int signal)
{
    if (job->forwarded || job->ending) {
        verdict_end(job, 128 + signal);
        kill_ns = clock_ns();
    }
    goes_on_ns =
        signal == SIGINT && !job->forwarded && !job->ending ? clock_ns() + GOES_ON_MS * 1000000ull : 0;
    job->forwarded = signal;
    pass_on(job, signal);
    pass_on(job, SIGCONT); /* a stopped one would not notice */
}

/* ^\: says what the ranks do, and the job goes on. A second one soon after, or where that cannot be said, is passed on as ^C is. */
static void ask_where(struct job *job)
{
    uint64_t last = where_report_last();
    bool is_second = where_report_runs() || (last && clock_ns() - last < ASKED_AGAIN_MS * 1000000ull);

    if (is_second || job->ending || !where_report_start(job, true))
        ask_to_end(job, SIGQUIT);
    else
        spawn_nested_signal(SIGQUIT);
}

/* The user cannot know whether they end a little later or not at all. */
static void tell_of_going_on(const struct job *job)
{
    static const char text[] = "mpiexec: the job goes on; a second ^C ends it at once\n";

    goes_on_ns = 0;
    if (!job->ending)
        writer_write(STDERR_FILENO, text, sizeof text - 1);
}

static void handle_signals(struct job *job)
{
    struct signalfd_siginfo info;

    while (read(job->signals, &info, sizeof info) == sizeof info) {
        int signal = (int)info.ssi_signo;

        if (signal == SIGCHLD) {
            reap(job);
            notice_stops(job);
        } else if (signal == SIGTSTP)
            suspend(job);
        else if (signal == SIGQUIT)
            ask_where(job);
        else if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP)
            ask_to_end(job, signal);
        else
            pass_on(job, signal);
    }
}

static void read_streams(struct job *job, int which);

static void event_loop_handle(struct job *job, const struct epoll_event *event)
{
    enum source source = (enum source)(event->data.u64 >> 32);
    int number = (int)(uint32_t)event->data.u64;

    switch (source) {
    case SOURCE_SIGNAL:
        handle_signals(job);
        break;
    case SOURCE_TERMINAL:
        forward_terminal(job);
        break;
    case SOURCE_CONTROL:
        spawned_listen(job);
        break;
    case SOURCE_SOCKET:
        server_handle(job, number);
        break;
    case SOURCE_WRITER: /* mind_writers follows */
    case SOURCE_FAR:    /* handle_clock follows */
        break;
    case SOURCE_STREAMS:
        read_streams(job, number);
        break;
    default:
        output_forward(&job->rank[number].stream[source - SOURCE_STDOUT], number);
    }
}

static void read_streams(struct job *job, int which)
{
    struct epoll_event event[BATCH];
    int n = epoll_wait(job->streams[which], event, BATCH, 0);

    for (int i = 0; i < n; i++)
        event_loop_handle(job, &event[i]);
}

static int sooner(int milliseconds, uint64_t when, uint64_t now)
{
    uint64_t left = when > now ? (when - now + 999999) / 1000000 : 0;

    return milliseconds < 0 || left < (uint64_t)milliseconds ? (int)(left < 1u << 30 ? left : 1u << 30)
                                                             : milliseconds;
}

/* The job's time is over. First it is said what the ranks do, unless --check says that. Returns when the job ends all the same. */
static uint64_t end_in_time(struct job *job, uint64_t now)
{
    static uint64_t latest_ns;

    if (!latest_ns) {
        latest_ns = now + WHERE_REPORT_MS * 1000000ull;
        if (!job->check && !job->is_spawned)
            where_report_start(job, false);
    }
    if (where_report_runs() && now < latest_ns)
        return latest_ns;
    verdict_timeout(job);
    spawn_nested_signal(SIGTERM);
    return now;
}

/* Does what is due by the clock. Returns how long to wait for an event, in milliseconds. */
static int handle_clock(struct job *job)
{
    uint64_t now = clock_ns(), end_due = end_ns, progress_due, far_due, late_due;
    int wait = -1;

    if (end_ns && now >= end_ns && !job->ending)
        end_due = end_in_time(job, now);
    if (job->ending && !kill_ns)
        kill_ns = now + GRACE_MS * 1000000ull;
    if (kill_ns && now >= kill_ns && !killed) {
        verdict_signal(job, SIGKILL);
        killed = true;
    }
    if (terminal_awaited)
        look_at_terminal(job);
    if (stops_due_ns && now >= stops_due_ns)
        tell_of_stops(job, now);
    far_due = far_ranks_receive(job, now);
    if (far_due)
        wait = sooner(wait, far_due, now);
    progress_due = start_progress_look(job, now);
    if (progress_due)
        wait = sooner(wait, progress_due, now);
    if (end_ns && !job->ending)
        wait = sooner(wait, end_due, now);
    if (kill_ns && job->alive > 0)
        wait = sooner(wait, killed ? kill_ns + GIVE_UP_MS * 1000000ull : kill_ns, now);
    if (terminal_awaited)
        wait = sooner(wait, now + TERMINAL_MS * 1000000ull, now);
    if (stops_due_ns)
        wait = sooner(wait, stops_due_ns, now);
    if (goes_on_ns && now >= goes_on_ns)
        tell_of_going_on(job);
    if (goes_on_ns)
        wait = sooner(wait, goes_on_ns, now);
    late_due = output_print_late(job, now);
    if (late_due)
        wait = sooner(wait, late_due, now);
    warnings_print(now);
    if (warnings_due())
        wait = sooner(wait, warnings_due(), now);
    return wait;
}

static bool is_hopeless(void)
{
    return killed && clock_ns() >= kill_ns + GIVE_UP_MS * 1000000ull;
}

static int watch_rank(struct job *job, const struct rank *rank, int number)
{
    int refused = event_loop_add(job, rank->socket, SOURCE_SOCKET, number);

    for (int s = 0; s < 2 && !refused; s++)
        if (rank->stream[s].fd >= 0)
            refused = add_to(job->streams[s], EPOLLIN, rank->stream[s].fd, s ? SOURCE_STDERR : SOURCE_STDOUT,
                             number);
    return refused ? fail_watch("epoll_ctl") : MPI_SUCCESS;
}

static void start_all(struct job *job)
{
    start_progress_begin();
    job->begin_ns = clock_ns();
    for (int i = 0; i < job->size && !job->ending; i++) {
        struct rank *rank = &job->rank[i];

        if (start_rank(job, i)) {
            verdict_no_start(job);
            return;
        }
        job->alive++;
        if (watch_rank(job, rank, i))
            verdict_no_start(job);
        start_progress_started(job, job->alive);
    }
    if (!job->ending && input_spread(&job->mask))
        verdict_no_start(job);
    if (job->control >= 0)
        spawned_report_started(job);
}

/* What to send them. A job that is being ended has sent SIGTERM already. */
static int choose_signal(const struct job *job, int round)
{
    if (job->ending)
        return !killed && clock_ns() < kill_ns ? 0 : SIGKILL;
    return round < SWEEP_GENTLE ? SIGTERM : SIGKILL;
}

/* Ends the processes that ranks have left behind, which are now mpiexec's children. None may outlive the job. */
static void event_loop_sweep(struct job *job)
{
    struct timespec pause = {0, SWEEP_NS};

    if (job->ending && !kill_ns)
        kill_ns = clock_ns() + GRACE_MS * 1000000ull;
    for (int round = 0; round < SWEEP_ROUNDS; round++) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
            return;
        guard_sweep_children(choose_signal(job, round));
        nanosleep(&pause, NULL);
    }
}

/* A signal, or the end of the job's time, ends the wait for a reader. */
static void await_readers(struct job *job)
{
    uint64_t end = clock_ns() + READER_MS * 1000000ull;
    struct signalfd_siginfo info;
    bool goes_on = true;

    while (goes_on && (writer_waits(1) >= 0 || writer_waits(2) >= 0)) {
        struct pollfd room[3] = {{.fd = writer_waits(1), .events = POLLOUT},
                                 {.fd = writer_waits(2), .events = POLLOUT},
                                 {.fd = job->signals, .events = POLLIN}};
        bool is_told;

        poll(room, 3, READER_MS / 10);
        if (writer_flush())
            end = clock_ns() + READER_MS * 1000000ull;
        is_told = read(job->signals, &info, sizeof info) == sizeof info &&
                  (info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM || info.ssi_signo == SIGHUP);
        goes_on = !is_told && (!job->ending || clock_ns() < end) &&
                  (!end_ns || clock_ns() < end_ns + READER_MS * 1000000ull);
    }
}

static bool is_signal(const struct epoll_event *event)
{
    return event->data.u64 >> 32 == SOURCE_SIGNAL;
}

/* Signals come last: what ranks have said before one dies is told before. False: events cannot be waited for, and the final sweep ends
 * all. */
static bool handle_events(struct job *job)
{
    struct epoll_event event[BATCH];
    int n = epoll_wait(job->events, event, BATCH, handle_clock(job));

    if (n < 0 && errno != EINTR) {
        fail_watch("epoll_wait");
        verdict_no_start(job);
        return false;
    }
    for (int i = 0; i < n; i++)
        if (!is_signal(&event[i]))
            event_loop_handle(job, &event[i]);
    for (int i = 0; i < n; i++)
        if (is_signal(&event[i]))
            event_loop_handle(job, &event[i]);
    mind_writers(job);
    return true;
}

int event_loop_run(struct job *job)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (survival_open(job) || open_events(job) || guard_start(job->name, job->size)) {
        verdict_no_start(job);
        return 1;
    }
    start_all(job);
    terminal_awaited = input_terminal() >= 0;
    if (job->timeout > 0)
        end_ns = clock_ns() + (uint64_t)(job->timeout * 1e9);
    if (job->control >= 0)
        event_loop_add(job, job->control, SOURCE_CONTROL, 0);
    while (((job->alive > 0 && !is_hopeless()) || spawn_nested_is_running()) && handle_events(job))
        ;
    guard_stop();
    warnings_print(UINT64_MAX);
    event_loop_sweep(job);
    name_place_given = hint_process.text[HINT_NAME_DIRECTORY];
    name_directory_sweep();
    for (int i = 0; i < job->size; i++)
        for (int s = 0; s < 2; s++)
            output_drain(&job->rank[i].stream[s], i);
    far_ranks_close(job);
    if (job->prints_codes && !job->asked)
        verdict_print_codes(job);
    told_hints_print(job);
    told_stats_print(job);
    await_readers(job);
    job->code = job->asked ? far_ranks_code(job->code) : survival_code(job);
    if (writer_has_failed() && job->code == 0)
        job->code = 1;
    if (job->advise && !job->is_spawned)
        insight_advise_report(job);
    return insight_check_report(job, job->is_spawned ? spawned_code(job) : job->code);
}
