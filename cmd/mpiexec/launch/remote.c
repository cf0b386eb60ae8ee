#include "cmd/mpiexec/launch/launch.h"

#include "cmd/mpiexec/command_line/options.h"
#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/pmi/server.h"
#include "hint/hint.h"
#include "plain/fail.h"

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

/* Gives each host the slots that --ppn or --map-by node says, and leaves this one out for --nolocal. */
static int place_hosts(const struct job *job, struct words *hosts)
{
    const struct placement *place = &job->place;
    int slots = place->per_host ? place->per_host : place->map && place->map_level == LEVEL_MACHINE, left = 0;

    for (int i = 0; i < hosts->count; i++) {
        char *name =
            words_format("%.*s", (int)(strrchr(hosts->word[i], ':') - hosts->word[i]), hosts->word[i]);

        if (!place->leaves_out_own || !host_names_is_own(name))
            hosts->word[left++] = slots ? words_format("%s:%d", name, slots) : hosts->word[i];
        free(name);
    }
    hosts->count = left;
    hosts->word[left] = NULL;
    return left ? 0 : fail(MPI_ERR_OTHER, "--nolocal: this host is the only one; name others with --hosts");
}

/* Says which options the launcher has nothing for. */
static void say_ignored(const struct job *job, const char *launcher)
{
    bool is_open = strcmp(launcher, "orterun") == 0, is_hydra = strcmp(launcher, "mpiexec.hydra") == 0;
    const struct {
        bool is_lost;
        const char *option;
    } options[] = {{job->timestamp && !is_open, "--timestamp-output"},
                   {job->merges && !is_open, "--merge-stderr-to-stdout"},
                   {job->copy_to && !is_open, "--output-filename"},
                   {job->input && !is_open, "--stdin"},
                   {job->prints_codes && !is_hydra, "--print-all-exitcodes"},
                   {(job->file_of[0] || job->file_of[1]) && !is_hydra, "-outfile-pattern"},
                   {job->label_pattern, "-prepend-pattern"},
                   {job->place.is_reported && !is_open, "--report-bindings"},
                   {job->place.is_shown && !is_open, "--display-map"},
                   {job->place.cores, "--cpu-set"}};
    char *list = words_format("%s", "");

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_lost)
            list = words_format("%s%s%s", list, *list ? ", " : "", options[i].option);
    if (*list && !job->quiet)
        fprintf(stderr, "mpiexec: ignored, since %s starts the ranks: %s\n", launcher, list);
}

static bool is_usable(const struct remote_launcher *launcher)
{
    return (!launcher->needs || getenv(launcher->needs)) && program_is_in_path(launcher->command);
}

/* The requested launcher, or the first installed one. Where the job survives deaths, rather one that lets the other ranks of a host live. */
static const struct remote_launcher *remote_choose(const struct job *job)
{
    const struct remote_launcher *last = NULL;

    for (const struct remote_launcher *l = launchers; l->command; l++) {
        bool is_it = job->launcher ? strcmp(job->launcher, l->command) == 0 : is_usable(l);

        if (is_it && (job->launcher || !l->ends_hosts || !hint_process.value[HINT_SURVIVE]))
            return l;
        if (is_it && !last)
            last = l;
    }
    return last;
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

    if (!error)
        error = place_hosts(job, hosts);
    if (!error && !launcher)
        error = fail(MPI_ERR_OTHER,
                     "no launcher that reaches other hosts is here: srun (in an allocation of Slurm's), "
                     "prterun, mpiexec.hydra, orterun; install one (Debian: apt install mpich)");
    else if (!error && !program_is_in_path(launcher->command))
        error = fail(MPI_ERR_OTHER, "cannot run the launcher %s: it is not in PATH", launcher->command);
    return error ? error : launcher->make_line(job, hosts, line);
}

static void say_who_starts(const struct job *job, const struct words *hosts, const char *launcher)
{
    say_ignored(job, launcher);
    if (!job->quiet)
        fprintf(stderr, "mpiexec: %s starts %d ranks on %s\n", launcher, job->size, name_hosts(hosts));
}

/* Closes descriptors that launchers and networks leave open to what a rank starts. A connection must not stay
 * open in the launcher after its rank has ended. */
static void close_others(int kept)
{
    if (kept > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)kept - 1, 0);
    close_range((unsigned)kept + 1, ~0U, 0);
}

/* What the launcher does for its ranks, mpiexec does not do for the launcher. */
static void leave_to_launcher(struct job *job)
{
    job->label = job->timestamp = job->merges = false;
    job->label_pattern = job->copy_to = job->file_of[0] = job->file_of[1] = NULL;
    job->place = (struct placement){.bind = BIND_NONE};
}

/* The launcher and the hosts, as INKLING_JOB_HOSTS has them. */
static char *name_places(const char *launcher, const struct words *hosts)
{
    char *text = words_format("%s %s", launcher, words_join(hosts, 0));

    for (char *c = strchr(text, ' ') + 1; *c; c++)
        if (*c == ' ')
            *c = ',';
    return text;
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
    job->hosts = name_places(app->argv.word[0], &hosts);
    job->asked = job->app;
    job->asked_parts = job->apps;
    job->app = app;
    job->world_size = job->size;
    job->apps = job->size = 1;
    leave_to_launcher(job);
    return MPI_SUCCESS;
}
