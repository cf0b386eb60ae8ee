#include "cmd/mpiexec/launch/launch.h"

#include "cmd/mpiexec/command_line/options.h"
#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/pmi/server.h"
#include "plain/fail.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the hosts. Launchers take one list for the whole job. */
static int find_hosts(const struct job *job, struct words *hosts)
{
    const char *list = job->app[0].host;

    for (int i = 1; i < job->apps; i++)
        if (!list != !job->app[i].host || (list && strcmp(list, job->app[i].host) != 0))
            return fail(MPI_ERR_OTHER,
                        "--hosts: programs of one job take the same list of hosts, before each ':'");
    return list ? host_names_read(list, hosts) : host_names_read_file(job->hostfile, hosts);
}

static bool is_usable(const struct remote_launcher *launcher)
{
    return (!launcher->needs || getenv(launcher->needs)) && program_is_in_path(launcher->command);
}

/* The requested launcher, or the first installed one. */
static const struct remote_launcher *remote_choose(const struct job *job)
{
    for (const struct remote_launcher *l = launchers; l->command; l++)
        if (job->launcher ? strcmp(job->launcher, l->command) == 0 : is_usable(l))
            return l;
    return NULL;
}

enum {
    SHOWN = 8
};

static char *name_hosts(const struct words *hosts)
{
    return hosts->count > SHOWN ? words_format("%d hosts", hosts->count) : words_join(hosts, 0);
}

/* Makes the launcher's command line. */
static int make_line(const struct job *job, struct words *hosts, struct words *line)
{
    const struct remote_launcher *launcher = remote_choose(job);
    int error = find_hosts(job, hosts);

    if (!error && !launcher)
        error = fail(MPI_ERR_OTHER,
                     "no launcher that reaches other hosts is here: srun (in an allocation of Slurm's), "
                     "prterun, mpiexec.hydra, orterun; install one (Debian: apt install mpich)");
    return error ? error : launcher->make_line(job, hosts, line);
}

static void say_who_starts(const struct job *job, const struct words *hosts, const char *launcher)
{
    fprintf(stderr, "mpiexec: %s starts %d ranks on %s\n", launcher, job->size, name_hosts(hosts));
}

int remote_run(const struct job *job)
{
    struct words hosts = {0}, line = {0};
    int error = make_line(job, &hosts, &line);

    if (error)
        return error;
    variables_clean();
    say_who_starts(job, &hosts, line.word[0]);
    execvp(line.word[0], line.word);
    return fail(MPI_ERR_OTHER, "cannot run the launcher %s: %s", line.word[0], strerror(errno));
}

/* Closes descriptors that launchers and networks leave open to what a rank starts. A connection must not stay
 * open in the launcher after its rank has ended. */
static void close_others(int kept)
{
    if (kept > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)kept - 1, 0);
    close_range((unsigned)kept + 1, ~0U, 0);
}

int remote_nest(struct job *job)
{
    struct words hosts = {0};
    struct app *app = words_allocate(sizeof *app);
    int error = MPI_SUCCESS;

    if (job->is_spawned)
        close_others(job->control);
    *app = (struct app){.maxprocs = 1, .count = 1};
    if (far_ranks_tell(job))
        error = far_ranks_open(job);
    if (!error)
        error = make_line(job, &hosts, &app->argv);
    if (!error)
        error = program_find(app);
    if (error)
        return error;
    if (!job->is_spawned)
        say_who_starts(job, &hosts, app->argv.word[0]);
    job->asked = job->app;
    job->asked_parts = job->apps;
    job->app = app;
    job->world_size = job->size;
    job->apps = job->size = 1;
    job->label = false; /* the launcher labels the output */
    job->bind = BIND_NONE;
    return MPI_SUCCESS;
}
