#include "cmd/mpiexec/spawn/spawned.h"

#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/launch/launch.h"
#include "cmd/mpiexec/run/output.h"
#include "plain/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static pid_t *running;
static int count, room;

/* Runs in the child, which shares the parent's memory until exec. The child gets a process group of its own,
 * so that ^C reaches it only once, from this mpiexec. */
static _Noreturn void nested_become(const struct job *job, int control, int order, char *const *argv)
{
    setpgid(0, 0);
    fcntl(control, F_SETFD, 0);
    fcntl(order, F_SETFD, 0);
    start_restore_limit();
    sigprocmask(SIG_SETMASK, &job->mask, NULL);
    execve("/proc/self/exe", argv, environ);
    _exit(127);
}

static __attribute__((noinline)) pid_t nested_branch(const struct job *job, int control, int order,
                                                     char *const *argv)
{
    pid_t pid = vfork();

    if (pid == 0)
        nested_become(job, control, order, argv);
    return pid;
}

static void nested_note(pid_t pid)
{
    if (count == room) {
        room = room ? 2 * room : 16;
        running = realloc(running, (size_t)room * sizeof *running);
        if (!running)
            words_allocate((size_t)-1);
    }
    running[count++] = pid;
}

int nested_start(const struct job *job, int control, int order)
{
    char *words[2] = {words_format("%d", control), words_format("%d", order)};
    char *argv[] = {"mpiexec", "--spawned", words[0], words[1], NULL};
    pid_t pid = nested_branch(job, control, order, argv);
    int refused = errno;

    close(control);
    close(order);
    for (int i = 0; i < 2; i++)
        free(words[i]);
    if (pid < 0)
        return fail(MPI_ERR_SPAWN, "cannot start mpiexec for processes to be spawned: %s", strerror(refused));
    nested_note(pid);
    writer_share();
    return 0;
}

bool nested_is_running(void)
{
    return count > 0;
}

bool nested_has_run(void)
{
    return room > 0;
}

bool nested_ended(struct job *job, pid_t pid, int status)
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

void nested_signal(int signal)
{
    for (int i = 0; i < count; i++)
        kill(running[i], signal);
}
