#include "cmd/mpiexec/remote.h"

#include "base/fail.h"
#include "cmd/mpiexec/environment.h"
#include "cmd/mpiexec/hosts.h"
#include "cmd/mpiexec/launchers.h"
#include "cmd/mpiexec/program.h"
#include "cmd/mpiexec/words.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The launchers take one list for the whole job. */
static int find_hosts(const struct job *job, struct words *hosts)
{
    const char *list = job->app[0].host;

    for (int i = 1; i < job->apps; i++)
        if (!list != !job->app[i].host || (list && strcmp(list, job->app[i].host) != 0))
            return fail(MPI_ERR_OTHER,
                        "--hosts: programs of one job take the same list of hosts, before each ':'");
    return list ? hosts_read(list, hosts) : hosts_read_file(job->hostfile, hosts);
}

static bool is_usable(const struct launcher *launcher)
{
    return (!launcher->needs || getenv(launcher->needs)) && program_is_in_path(launcher->command);
}

/* The one that was asked for, or the first that is here. */
static const struct launcher *choose(const struct job *job)
{
    for (const struct launcher *l = launchers; l->command; l++)
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

int remote_run(const struct job *job)
{
    const struct launcher *launcher = choose(job);
    struct words hosts = {0}, line = {0};
    int error = find_hosts(job, &hosts);

    if (!error && !launcher)
        error = fail(MPI_ERR_OTHER,
                     "no launcher that reaches other hosts is here: srun (in an allocation of Slurm's), "
                     "prterun, mpiexec.hydra, orterun; install one (Debian: apt install mpich)");
    if (!error)
        error = launcher->make_line(job, &hosts, &line);
    if (error)
        return error;
    environment_clean();
    fprintf(stderr, "mpiexec: %s starts %d ranks on %s\n", launcher->command, job->size, name_hosts(&hosts));
    execvp(launcher->command, line.word);
    return fail(MPI_ERR_OTHER, "cannot run the launcher %s: %s", launcher->command, strerror(errno));
}
