#include "cmd/mpiexec/run/verdict.h"

#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/launch/launch.h"
#include "cmd/mpiexec/run/output.h"
#include "cmd/mpiexec/run/survival.h"
#include "cmd/mpiexec/run/told.h"
#include "cmd/mpiexec/spawn/spawned.h"
#include "plain/fail.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void verdict_print(const char *text, size_t length)
{
    warnings_print(UINT64_MAX); /* they came first */
    writer_write(STDERR_FILENO, text, length);
}

/* Prints "mpiexec: ...; ended the other N ranks". */
static void verdict_say(const struct job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void verdict_say(const struct job *job, const char *format, ...)
{
    char line[1024];
    int used = snprintf(line, sizeof line, "mpiexec: %s", job->is_spawned ? "spawned job: " : "");
    va_list args;

    va_start(args, format);
    used += vsnprintf(line + used, sizeof line - (size_t)used - 64, format, args);
    va_end(args);
    if (used > (int)sizeof line - 64)
        used = sizeof line - 64;
    if (job->alive > 0)
        used +=
            snprintf(line + used, 63, "; ended the other %d rank%s", job->alive, job->alive > 1 ? "s" : "");
    line[used++] = '\n';
    verdict_print(line, (size_t)used);
}

void verdict_signal(struct job *job, int signal)
{
    for (int i = 0; i < job->size; i++)
        if (job->rank[i].pid > 0)
            kill(-job->rank[i].pid, signal);
}

void verdict_end(struct job *job, int code)
{
    if (job->ending)
        return;
    job->ending = true;
    if (job->code == 0)
        job->code = code;
    verdict_signal(job, SIGTERM);
    verdict_signal(job, SIGCONT); /* a stopped one could not end */
}

/* What the user can do about it; "" if the signal says enough. */
static const char *advice_on(int signal, bool dumped)
{
    switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGABRT:
        return dumped ? ", and left a core file" : "; `ulimit -c unlimited` gives a core file";
    case SIGKILL:
        return ", perhaps for lack of memory: see dmesg";
    default:
        return "";
    }
}

static void exit_by_signal(struct job *job, int number, int signal, bool dumped)
{
    if (signal != job->forwarded)
        where_report_lost(job);
    if (signal == job->forwarded)
        verdict_say(job, "ended by SIG%s", sigabbrev_np(signal));
    else
        verdict_say(job, "rank %d on host %s died of signal %d (SIG%s, %s)%s", number, job->host, signal,
                    sigabbrev_np(signal) ? sigabbrev_np(signal) : "?", strsignal(signal),
                    advice_on(signal, dumped));
    if (signal != job->forwarded)
        insight_check_died(number, signal);
    verdict_end(job, 128 + signal);
}

/* Ranks are not waited for in the order of their deaths: one that ends itself because a signal killed another may come first.
 * Says so of the other, if it is there, and ends the job. */
static bool blame_killed(struct job *job)
{
    for (int i = 0; i < job->size && !job->ending; i++) {
        siginfo_t info = {0};

        if (job->rank[i].pid <= 0 ||
            waitid(P_PID, (id_t)job->rank[i].pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || !info.si_pid ||
            info.si_code == CLD_EXITED)
            continue;
        job->alive--; /* it is not one of the others, and waited for later */
        exit_by_signal(job, i, info.si_status, info.si_code == CLD_DUMPED);
        job->alive++;
    }
    return job->ending;
}

/* Whether it has died, and the job goes on. */
static bool verdict_survives(struct job *job, int number, int status)
{
    const struct rank *rank = &job->rank[number];
    bool early = rank->initialized && !rank->finalized;
    char how[256];

    if (!survival_is_on() || job->ending)
        return false;
    if (WIFSIGNALED(status)) {
        int signal = WTERMSIG(status);

        if (signal == job->forwarded)
            return false;
        snprintf(how, sizeof how, "died of signal %d (SIG%s, %s)", signal,
                 sigabbrev_np(signal) ? sigabbrev_np(signal) : "?", strsignal(signal));
        insight_check_lost(number, status);
        survival_death(job, number, 128 + signal, how);
        return true;
    }
    if (!early && (WEXITSTATUS(status) == 0 || rank->finalized))
        return false;
    snprintf(how, sizeof how, "exited with code %d %s", WEXITSTATUS(status),
             early ? "without MPI_Finalize" : "before MPI_Init");
    insight_check_lost(number, status);
    survival_death(job, number, WEXITSTATUS(status) ? WEXITSTATUS(status) : 1, how);
    return true;
}

void verdict_exit(struct job *job, int number, int status)
{
    const struct rank *rank = &job->rank[number];
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    bool early = rank->initialized && !rank->finalized;
    bool gave_up = WIFEXITED(status) && (early || code != 0);

    if (job->asked && WIFEXITED(status)) { /* the launcher has already reported the failure */
        verdict_end(job, code);
        return;
    }
    if (verdict_survives(job, number, status) || job->ending || (gave_up && blame_killed(job)))
        return;
    if (WIFSIGNALED(status)) {
        exit_by_signal(job, number, WTERMSIG(status), WCOREDUMP(status));
    } else if (early || (code != 0 && !rank->finalized)) {
        where_report_lost(job);
        verdict_say(job, "rank %d on host %s exited with code %d %s", number, job->host, code,
                    early ? "without MPI_Finalize" : "before MPI_Init");
        if (early)
            insight_check_died(number, status);
        verdict_end(job, code ? code : 1);
    } else if (code != 0 && job->code == 0) {
        char line[256];
        int length = snprintf(line, sizeof line,
                              "mpiexec: rank %d on host %s exited with code %d after MPI_Finalize\n", number,
                              job->host, code);

        job->code = code;
        verdict_print(line, (size_t)length);
    }
}

void verdict_abort(struct job *job, int number, int code, const char *message)
{
    const char *why = insight_check_why_ended();
    size_t length = why ? 0 : strlen(message);

    if (job->ending || (!survival_is_on() && blame_killed(job)))
        return;
    if (length > 0) {
        verdict_print(message, length);
        if (message[length - 1] != '\n')
            verdict_print("\n", 1);
    }
    job->alive--; /* the aborting rank is not one of the others */
    if (why)
        verdict_say(job, "rank %d on host %s: %s", number, job->host, why);
    else
        verdict_say(job, "rank %d on host %s aborted the job with code %d", number, job->host, code);
    job->alive++;
    verdict_end(job, code != 0 && (code & 255) == 0 ? 1 : code & 255);
}

void verdict_protocol(struct job *job, int number)
{
    if (!job->ending)
        verdict_say(job, "rank %d on host %s: %s", number, job->host, fail_note());
    verdict_end(job, 1);
}

void verdict_absent(struct job *job, int number)
{
    if (job->ending)
        return;
    verdict_say(job, "rank %d on host %s ended while the others wait for it; every rank must call MPI_Init",
                number, job->host);
    verdict_end(job, 1);
}

void verdict_timeout(struct job *job)
{
    if (!job->ending)
        verdict_say(job, "not finished after %g s (%s)", job->timeout, job->timeout_source);
    verdict_end(job, 124);
}

void verdict_print_codes(const struct job *job)
{
    char *line = words_format("mpiexec: exit codes:");

    for (int i = 0; i < job->size; i++) {
        int status = job->rank[i].status;
        char *before = line;

        line = WIFSIGNALED(status)
                   ? words_format("%s %d (SIG%s)", before, 128 + WTERMSIG(status),
                                  sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status)) : "?")
                   : words_format("%s %d", before, WEXITSTATUS(status));
        free(before);
    }
    verdict_print(line, strlen(line));
    verdict_print("\n", 1);
    free(line);
}

/* A spawner may handle this error, so it is not reported as a failure of this job. */
void verdict_no_start(struct job *job)
{
    if (job->is_spawned)
        spawned_report_failure(job);
    else
        verdict_say(job, "%s", fail_note());
    verdict_end(job, job->is_spawned ? 0 : 1);
}
