#include "cmd/mpiexec/remote.h"

#include "base/fail.h"
#include "cmd/mpiexec/words.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAUNCHER "mpiexec.hydra"

static void add(struct words *words, const char *word)
{
    words_add(words, words_format("%s", word));
}

static void add_pair(struct words *words, const char *option, const char *value)
{
    add(words, option);
    add(words, value);
}

/* The launcher takes one list for the whole job. */
static int add_hosts(const struct job *job, struct words *words)
{
    const char *list = job->app[0].host;

    for (int i = 1; i < job->apps; i++)
        if (!list != !job->app[i].host || (list && strcmp(list, job->app[i].host) != 0))
            return fail(MPI_ERR_OTHER,
                        "--hosts: programs of one job take the same list of hosts, before each ':'");
    if (list)
        add_pair(words, "-hosts", list);
    else
        add_pair(words, "-f", job->hostfile);
    return MPI_SUCCESS;
}

/* NAME=VALUE, as the launcher wants it. */
static void add_variables(struct words *words, const char *option, const struct words *set)
{
    for (int i = 0; i < set->count; i++) {
        const char *equals = strchr(set->word[i], '=');

        add(words, option);
        words_add(words, words_format("%.*s", (int)(equals - set->word[i]), set->word[i]));
        add(words, equals + 1);
    }
}

static void add_app(const struct app *app, struct words *words)
{
    char *count = words_format("%d", app->count);

    add_pair(words, "-n", count);
    free(count);
    if (app->wdir)
        add_pair(words, "-wdir", app->wdir);
    if (app->path)
        add_pair(words, "-path", app->path);
    add_variables(words, "-env", &app->set);
    for (int i = 0; i < app->argv.count; i++)
        add(words, app->argv.word[i]);
}

static int make_line(const struct job *job, struct words *words)
{
    int error;

    add(words, LAUNCHER);
    error = add_hosts(job, words);
    if (job->label)
        add(words, "-prepend-rank");
    add_variables(words, "-genv", &job->set);
    for (int i = 0; i < job->apps && !error; i++) {
        if (i > 0)
            add(words, ":");
        add_app(&job->app[i], words);
    }
    return error;
}

int remote_run(const struct job *job)
{
    struct words words = {0};
    char *limit = words_format("%.0f", job->timeout);
    int error = make_line(job, &words);

    if (error)
        return error;
    if (job->timeout > 0)
        setenv("MPIEXEC_TIMEOUT", limit, 1);
    fprintf(stderr, "mpiexec: " LAUNCHER " starts %d ranks on %s%s\n", job->size,
            job->hostfile ? "the hosts of " : "", job->hostfile ? job->hostfile : job->app[0].host);
    execvp(LAUNCHER, words.word);
    return fail(MPI_ERR_OTHER,
                "no launcher reaches other hosts: " LAUNCHER
                ": %s; install Hydra (Debian: apt install mpich)",
                strerror(errno));
}
