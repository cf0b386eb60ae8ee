#include "cmd/mpiexec/launch/launch.h"

#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/run/output.h"
#include "plain/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a new process needs to know. It shares mpiexec's memory until it executes its program, so it only
 * makes system calls. */
struct start {
    const struct app *app;
    char **environment;
    const sigset_t *mask;
    const cpu_set_t *cores;
    size_t cores_size;
    pid_t launcher;
    int input, output[2]; /* become 0, 1, 2; -1: unchanged */
    bool merges;          /* 2 becomes what 1 is */
    int pass[2];          /* descriptors that the program inherits */
    int report;           /* where to report why the program could not run */
};

/* The step that failed, for the note. */
enum step {
    STEP_WDIR,
    STEP_EXEC
};

struct trouble {
    enum step step;
    int error;
};

static struct rlimit found_limit;
static bool limit_raised;

void start_raise_limit(void)
{
    struct rlimit raised;

    if (getrlimit(RLIMIT_NOFILE, &found_limit) < 0)
        return;
    raised = found_limit;
    raised.rlim_cur = raised.rlim_max;
    limit_raised = setrlimit(RLIMIT_NOFILE, &raised) == 0;
}

void start_restore_limit(void)
{
    if (limit_raised)
        setrlimit(RLIMIT_NOFILE, &found_limit);
}

static _Noreturn void give_up(const struct start *s, enum step step)
{
    struct trouble trouble = {step, errno};

    if (write(s->report, &trouble, sizeof trouble) < 0)
        _exit(126);
    _exit(127);
}

static _Noreturn void start_become(const struct start *s)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_PTRACER,
          s->launcher); /* its `inkling where` may look, where Yama lets only forebears trace */
    if (getppid() != s->launcher)
        _exit(127);
    if (s->cores)
        sched_setaffinity(0, s->cores_size, s->cores);
    if (s->input >= 0)
        dup2(s->input, STDIN_FILENO);
    for (int i = 0; i < 2; i++)
        if (s->output[i] >= 0)
            dup2(s->output[i], i + 1);
    if (s->merges)
        dup2(STDOUT_FILENO, STDERR_FILENO);
    for (int i = 0; i < 2; i++)
        fcntl(s->pass[i], F_SETFD, 0);
    start_restore_limit();
    if (s->app->wdir && chdir(s->app->wdir) < 0)
        give_up(s, STEP_WDIR);
    sigprocmask(SIG_SETMASK, s->mask, NULL);
    execve(s->app->program, s->app->argv.word, s->environment);
    give_up(s, STEP_EXEC);
}

/* A separate function, because it has no variable that the child could change under the parent. */
static __attribute__((noinline)) pid_t start_branch(const struct start *s)
{
    pid_t pid = vfork();

    if (pid == 0)
        start_become(s);
    return pid;
}

static int fail_trouble(const struct app *app, const struct trouble *trouble)
{
    if (trouble->step == STEP_WDIR)
        return fail(MPI_ERR_OTHER, "cannot work in '%s': %s", app->wdir, strerror(trouble->error));
    if (trouble->error == ENOEXEC)
        return fail(MPI_ERR_OTHER, "'%s' is no program for this machine; a script begins with #!/bin/sh",
                    app->program);
    if (trouble->error == ENOENT)
        return fail(MPI_ERR_OTHER, "cannot run '%s': the interpreter or loader that it names does not exist",
                    app->program);
    return fail(MPI_ERR_OTHER, "cannot run '%s': %s", app->program, strerror(trouble->error));
}

static int start_run(struct rank *rank, int number, struct start *s)
{
    struct trouble trouble;
    int report[2];
    pid_t pid;
    ssize_t n;

    if (pipe2(report, O_CLOEXEC) < 0)
        return fail(MPI_ERR_OTHER, "cannot start rank %d: %s", number, strerror(errno));
    s->report = report[1];
    pid = start_branch(s);
    close(report[1]);
    if (pid < 0) {
        close(report[0]);
        return fail(MPI_ERR_OTHER, "cannot start rank %d: %s", number, strerror(errno));
    }
    n = read(report[0], &trouble, sizeof trouble);
    close(report[0]);
    if (n == sizeof trouble) {
        waitpid(pid, NULL, 0);
        return fail_trouble(rank->app, &trouble);
    }
    rank->pid = pid;
    guard_note(number, pid);
    return 0;
}

int start_rank(struct job *job, int number)
{
    struct rank *rank = &job->rank[number];
    struct start s = {.app = rank->app,
                      .mask = &job->mask,
                      .cores_size = job->cores_size,
                      .launcher = getpid(),
                      .merges = job->merges,
                      .input = input_for(number),
                      .output = {-1, -1}};
    int ends[2], error = 0;

    if (job->cores)
        s.cores = (cpu_set_t *)((char *)job->cores + (size_t)number * job->cores_size);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return fail(MPI_ERR_OTHER, "no socket for rank %d: %s", number, strerror(errno));
    rank->socket = ends[0];
    rank->inbox = words_allocate(sizeof *rank->inbox);
    for (int i = 0; i < 2 - job->merges && !error; i++)
        error = output_open(job, &rank->stream[i], number, &s.output[i]);
    s.pass[0] = ends[1];
    s.pass[1] = job->memory;
    s.environment = variables_of(job, number, ends[1]);
    if (!error)
        error = start_run(rank, number, &s);
    close(ends[1]);
    input_started();
    for (int i = 0; i < 2; i++)
        if (s.output[i] >= 0)
            close(s.output[i]);
    return error;
}
