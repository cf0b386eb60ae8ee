#include "cmd/mpiexec/spawn/spawned.h"

#include "boot/spawn_order.h"
#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/launch/launch.h"
#include "cmd/mpiexec/run/output.h"
#include "cmd/mpiexec/run/survival.h"
#include "cmd/mpiexec/run/verdict.h"
#include "plain/fail.h"
#include "plain/spawn_report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool spawned_is(int argc, char **argv)
{
    return argc >= 4 && strcmp(argv[1], "--spawned") == 0;
}

/* Reads the whole order and adds one more NUL. */
static char *read_order(int fd, size_t *size)
{
    struct stat info;
    char *bytes;
    size_t used = 0;
    ssize_t n = 1;

    if (fstat(fd, &info) < 0 || info.st_size <= 0)
        return NULL;
    bytes = words_allocate((size_t)info.st_size + 1);
    while (n > 0 && used < (size_t)info.st_size) {
        n = read(fd, bytes + used, (size_t)info.st_size - used);
        used += n > 0 ? (size_t)n : 0;
    }
    *size = used;
    return bytes;
}

/* Takes the next list; false if there is no complete one. */
static bool next_list(char **next, const char *end, struct words *list)
{
    long count;

    if (*next >= end)
        return false;
    count = strtol(*next, NULL, 10);
    *next += strlen(*next) + 1;
    for (long i = 0; i < count; i++) {
        if (*next >= end)
            return false;
        words_add(list, *next);
        *next += strlen(*next) + 1;
    }
    return true;
}

static int fail_order(void)
{
    return fail(MPI_ERR_OTHER, "--spawned: the order of what to start is not understood");
}

/* Takes over the spawner's directory and environment. */
static int move_in(const struct words *place)
{
    if (chdir(place->word[0]) < 0)
        return fail(MPI_ERR_OTHER, "cannot work in '%s': %s", place->word[0], strerror(errno));
    clearenv();
    for (int i = 1; i < place->count; i++)
        if (strchr(place->word[i], '=') && putenv(place->word[i]))
            return fail(MPI_ERR_NO_MEM, "no memory for the environment");
    return 0;
}

static int read_lists(int fd, struct words **part, int *parts)
{
    struct words place = {0}, *list = words_allocate(SPAWN_PARTS_MAX * sizeof *list);
    size_t size;
    char *next = read_order(fd, &size), *end = next ? next + size : NULL;

    if (!next || !next_list(&next, end, &place) || place.count < 1)
        return fail_order();
    *part = list;
    for (*parts = 0; *parts < SPAWN_PARTS_MAX && next_list(&next, end, &list[*parts]);)
        ++*parts;
    return next < end || *parts == 0 ? fail_order() : move_in(&place);
}

/* Forks, because the process that started this mpiexec waits for it and must have no child left. */
static int spawned_detach(void)
{
    pid_t pid = fork();

    if (pid < 0)
        return fail(MPI_ERR_OTHER, "cannot start mpiexec: %s", strerror(errno));
    if (pid > 0)
        _exit(0);
    return 0;
}

int spawned_open(int argc, char **argv, struct job *job, struct words **part, int *parts)
{
    int order = atoi(argv[3]), error = 0;

    job->is_spawned = true;
    writer_share();
    job->control = atoi(argv[2]);
    job->place.bind = BIND_NONE; /* the spawner's job has the cores */
    fcntl(job->control, F_SETFD, FD_CLOEXEC);
    if (argc > 4)
        error = spawned_detach();
    if (!error)
        error = read_lists(order, part, parts);
    close(order);
    job->label = getenv("INKLING_JOB_LABEL") != NULL;
    job->direct_output = getenv("INKLING_JOB_DIRECT_OUTPUT") != NULL;
    return error;
}

static void spawned_tell(const struct job *job, const struct spawn_report *report)
{
    size_t size = offsetof(struct spawn_report, count) + (size_t)report->parts * sizeof report->count[0];

    if (send(job->control, report, size, MSG_NOSIGNAL) < 0)
        return; /* the spawner is gone; the end of the control socket tells it */
}

void spawned_report_started(struct job *job)
{
    struct spawn_report *report = words_allocate(sizeof *report);

    report->parts = job->asked ? job->asked_parts : job->apps;
    for (int i = 0; i < report->parts; i++)
        report->count[i] = job->asked ? job->asked[i].count : job->app[i].count;
    spawned_tell(job, report);
    free(report);
}

void spawned_report_failure(struct job *job)
{
    struct spawn_report *report = words_allocate(sizeof *report);

    snprintf(report->note, sizeof report->note, "%s", fail_note());
    spawned_tell(job, report);
    free(report);
}

void spawned_listen(struct job *job)
{
    char byte;
    ssize_t n;

    while ((n = recv(job->control, &byte, 1, MSG_DONTWAIT)) > 0) {
        job->is_accepted |= byte == SPAWN_ACCEPT;
        job->is_let_go |= byte == SPAWN_LET_GO;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    close(job->control);
    job->control = -1;
    if (!job->is_let_go && !(survival_is_on() && job->is_accepted))
        verdict_end(job, 1); /* the spawner's own mpiexec reports why it ended */
}

int spawned_code(struct job *job)
{
    if (job->control >= 0)
        spawned_listen(job);
    return job->is_accepted ? job->code : 0;
}

extern char **environ;

static pid_t *running;
static int count, room;

/* Runs in the child, which shares the parent's memory until exec. The child gets a process group of its own,
 * so that ^C reaches it only once, from this mpiexec. */
static _Noreturn void spawn_nested_become(const struct job *job, int control, int order, char *const *argv)
{
    setpgid(0, 0);
    fcntl(control, F_SETFD, 0);
    fcntl(order, F_SETFD, 0);
    start_restore_limit();
    sigprocmask(SIG_SETMASK, &job->mask, NULL);
    execve("/proc/self/exe", argv, environ);
    _exit(127);
}

static __attribute__((noinline)) pid_t spawn_nested_branch(const struct job *job, int control, int order,
                                                           char *const *argv)
{
    pid_t pid = vfork();

    if (pid == 0)
        spawn_nested_become(job, control, order, argv);
    return pid;
}

static void spawn_nested_note(pid_t pid)
{
    if (count == room) {
        room = room ? 2 * room : 16;
        running = realloc(running, (size_t)room * sizeof *running);
        if (!running)
            words_allocate((size_t)-1);
    }
    running[count++] = pid;
}

int spawn_nested_start(const struct job *job, int control, int order)
{
    char *words[2] = {words_format("%d", control), words_format("%d", order)};
    char *argv[] = {"mpiexec", "--spawned", words[0], words[1], NULL};
    pid_t pid = spawn_nested_branch(job, control, order, argv);
    int refused = errno;

    close(control);
    close(order);
    for (int i = 0; i < 2; i++)
        free(words[i]);
    if (pid < 0)
        return fail(MPI_ERR_SPAWN, "cannot start mpiexec for processes to be spawned: %s", strerror(refused));
    spawn_nested_note(pid);
    writer_share();
    return 0;
}

bool spawn_nested_is_running(void)
{
    return count > 0;
}

bool spawn_nested_has_run(void)
{
    return room > 0;
}

bool spawn_nested_ended(struct job *job, pid_t pid, int status)
{
    for (int i = 0; i < count; i++) {
        if (running[i] != pid)
            continue;
        running[i] = running[--count];
        if (job->code == 0)
            job->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return true;
    }
    return false;
}

void spawn_nested_signal(int signal)
{
    for (int i = 0; i < count; i++)
        kill(running[i], signal);
}
