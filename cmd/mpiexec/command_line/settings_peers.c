#include "cmd/mpiexec/command_line/notices.h"
#include "cmd/mpiexec/command_line/options.h"
#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/launch/launch.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int settings_ignored(struct parse *p, char **value)
{
    notices_ignore(p->job,
                   words_format("%s%s%s%s%s%s", strlen(p->name) > 1 ? "--" : "-", p->name,
                                value[0] ? " " : "", value[0] ? value[0] : "",
                                value[0] && value[1] ? " " : "", value[0] && value[1] ? value[1] : ""),
                   p->text);
    return 0;
}

int settings_abi(struct parse *p, char **value)
{
    static const char *const names[] = {"auto", "openmpi", "mpich", "none", NULL};
    int index, error = settings_parse_choice(p, value[0], names, &index);

    if (!error)
        p->job->abi = value[0];
    return error;
}

/* Open MPI's word for a job that goes on when a rank dies. */
int settings_with_ft(struct parse *p, char **value)
{
    static const char *const names[] = {"ulfm", "mpi", "none", "no", "false", NULL};
    int index, error = settings_parse_choice(p, value[0], names, &index);

    return error || index > 1 ? error : settings_survive(p, value);
}

int settings_mca(struct parse *p, char **value)
{
    translation_take_mca(p->job, value[0], value[1]);
    return 0;
}

/* -genvall and -envall, -genvnone and -envnone: g for the job. */
int settings_inherit(struct parse *p, char **value)
{
    enum inherit inherit = strstr(p->name, "all") ? INHERIT_ALL : INHERIT_NONE;

    (void)value;
    if (p->name[0] == 'g')
        p->job->inherit = inherit;
    else
        p->app->inherit = inherit;
    return 0;
}

int settings_inherit_list(struct parse *p, char **value)
{
    struct words *names = p->name[0] == 'g' ? &p->job->names : &p->app->names;
    char *copy = words_format("%s", value[0]), *rest = NULL;

    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        words_add(names, name);
    if (p->name[0] == 'g')
        p->job->inherit = INHERIT_LIST;
    else
        p->app->inherit = INHERIT_LIST;
    return 0;
}

int settings_interface(struct parse *p, char **value)
{
    p->job->interface = value[0];
    return 0;
}

/* Whether an Inkling is installed there. */
static bool has_library(const char *prefix)
{
    static const char *const folders[] = {"lib", "lib64"};
    bool is_there = false;

    for (size_t i = 0; i < sizeof folders / sizeof *folders && !is_there; i++) {
        char *path = words_format("%s/%s/libmpi_abi.so.1", prefix, folders[i]);

        is_there = access(path, R_OK) == 0;
        free(path);
    }
    return is_there;
}

static void put_folder_first(struct words *set, const char *variable, const char *prefix, const char *folder)
{
    const char *old = getenv(variable);

    words_add(set,
              words_format("%s=%s/%s%s%s", variable, prefix, folder, old && *old ? ":" : "", old ? old : ""));
}

int settings_prefix(struct parse *p, char **value)
{
    if (!has_library(value[0])) {
        notices_ignore(p->job, words_format("--%s %s", p->name, value[0]), "no Inkling is installed there");
        return 0;
    }
    put_folder_first(&p->app->set, "PATH", value[0], "bin");
    put_folder_first(&p->app->set, "LD_LIBRARY_PATH", value[0], "lib");
    return 0;
}

/* Hydra's words for how it reaches other hosts. Slurm's and none are launchers of ours; the others are for Hydra. */
static bool take_hydra_word(struct parse *p, char *word)
{
    static const char *const words[] = {"ssh", "rsh",    "ll",     "lsf",     "sge",
                                        "pbs", "pbsdsh", "manual", "persist", NULL};

    if (strcmp(word, "slurm") == 0)
        p->job->launcher = "srun";
    for (int i = 0; words[i]; i++)
        if (strcmp(word, words[i]) == 0) {
            words_add(&p->job->for_launcher, words_format("%s", "-launcher"));
            words_add(&p->job->for_launcher, word);
            notices_ignore(p->job, words_format("-%s %s", p->name, word),
                           "Hydra gets it, if that reaches the other hosts");
            return true;
        }
    return strcmp(word, "slurm") == 0 || strcmp(word, "fork") == 0;
}

int settings_launcher(struct parse *p, char **value)
{
    const char *names[8] = {0};
    int index, error;

    if (take_hydra_word(p, value[0]))
        return 0;
    for (size_t i = 0; launchers[i].command && i + 1 < sizeof names / sizeof *names; i++)
        names[i] = launchers[i].command;
    error = settings_parse_choice(p, value[0], names, &index);
    if (!error)
        p->job->launcher = value[0];
    return error;
}

/* Hydra's and Intel's variable for a list of hosts, unless the command line has one. */
static int take_host_variable(struct job *job)
{
    const char *path = getenv("HYDRA_HOST_FILE");
    bool is_given = job->hostfile != NULL;

    if (!path)
        path = getenv("I_MPI_HYDRA_HOST_FILE");
    for (int i = 0; i < job->apps; i++)
        is_given = is_given || job->app[i].host;
    if (!path || !*path || is_given || job->is_spawned)
        return 0;
    job->hostfile = path;
    return host_names_check_file(path, &job->elsewhere);
}

/* What can be said only when it is known where the job runs. */
int settings_check_peers(struct job *job)
{
    int error = take_host_variable(job);

    translation_take_environment(job);
    if (error || !job->interface)
        return error;
    if (job->elsewhere)
        words_add(&job->set, words_format("INKLING_OFI_INTERFACE=%s", job->interface));
    else
        notices_ignore(job, words_format("-iface %s", job->interface), "all ranks are on this host");
    return 0;
}
