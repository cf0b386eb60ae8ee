#include "cmd/mpiexec/launch/launch.h"

#include "cmd/mpiexec/command_line/words.h"
#include "hint/hint.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void launchers_add(struct words *line, const char *word)
{
    words_add(line, words_format("%s", word));
}

static void add_pair(struct words *line, const char *option, const char *value)
{
    launchers_add(line, option);
    launchers_add(line, value);
}

static void launchers_add_number(struct words *line, const char *option, int number)
{
    launchers_add(line, option);
    words_add(line, words_format("%d", number));
}

/* Joins hosts as "a:1,b:2". */
static char *join_hosts(const struct words *hosts)
{
    char *list = words_join(hosts, 0);

    for (char *c = list; *c; c++)
        if (*c == ' ')
            *c = ',';
    return list;
}

/* Adds a program one of whose arguments is a colon. The launcher would start another program there, so a
 * shell inserts the colon. */
static void add_with_colons(const struct app *app, char *program, struct words *line)
{
    struct words script = {0};

    words_add(&script, "exec \"$0\"");
    for (int i = 1, plain = 0; i < app->argv.count; i++)
        words_add(&script, strcmp(app->argv.word[i], ":") == 0 ? words_format("':'")
                                                               : words_format("\"${%d}\"", ++plain));
    add_pair(line, "sh", "-c");
    words_add(line, words_join(&script, 0));
    launchers_add(line, program);
    for (int i = 1; i < app->argv.count; i++)
        if (strcmp(app->argv.word[i], ":") != 0)
            launchers_add(line, app->argv.word[i]);
}

static bool has_colon(const struct app *app)
{
    for (int i = 1; i < app->argv.count; i++)
        if (strcmp(app->argv.word[i], ":") == 0)
            return true;
    return false;
}

/* Adds "[sh -c SCRIPT] env NAME=VALUE... program arguments". The program's path is found here; each host finds a bare name
 * itself. */
static void add_program(const struct job *job, const struct app *app, struct words *line)
{
    char *name = app->argv.word[0],
         *program = strchr(name, '/') || app->path || app->wdir ? app->program : name;

    variables_name_given(job, app, line);
    launchers_add(line, "env");
    variables_list(job, app, line);
    if (has_colon(app)) {
        add_with_colons(app, program, line);
        return;
    }
    launchers_add(line, program);
    for (int i = 1; i < app->argv.count; i++)
        launchers_add(line, app->argv.word[i]);
}

/* The launcher's word for --bind-to; NULL: none was given, or it has none. */
static const char *bind_word(const struct job *job, const char *none, const char *const words[LEVELS])
{
    return job->place.bind == BIND_NONE ? none
           : job->place.bind == BIND_TO ? words[job->place.bind_level]
                                        : NULL;
}

static void add_for_launcher(const struct job *job, const char *first, struct words *line)
{
    for (int i = 0; i < job->for_launcher.count; i++)
        if (strcmp(job->for_launcher.word[i], first) == 0)
            for (int j = 0; j < (*first == '-' && first[1] == '-' ? 3 : 2); j++)
                launchers_add(line, job->for_launcher.word[i + j]);
}

static void hydra_add_environment(const struct job *job, const struct app *app, struct words *line)
{
    struct words names = {0};
    enum inherit inherit = app->inherit ? app->inherit : job->inherit;

    if (inherit == INHERIT_NONE)
        launchers_add(line, "-envnone");
    if (inherit != INHERIT_LIST)
        return;
    variables_name_all(job, app, "", &names);
    if (names.count > 0) {
        char *list = words_format("%s", names.word[1]);

        for (int i = 3; i < names.count; i += 2)
            list = words_format("%s,%s", list, names.word[i]);
        add_pair(line, "-envlist", list);
    }
}

static int hydra_line(const struct job *job, const struct words *hosts, struct words *line)
{
    static const char *const levels[LEVELS] = {"hwthread", "core",   "l2cache", "l3cache",
                                               "numa",     "socket", "machine"};
    const char *bind = bind_word(job, "none", levels);

    launchers_add(line, "mpiexec.hydra");
    add_for_launcher(job, "-launcher", line);
    if (hint_process.value[HINT_SURVIVE])
        launchers_add(line, "-disable-auto-cleanup");
    if (job->prints_codes)
        launchers_add(line, "-print-all-exitcodes");
    if (job->file_of[0])
        add_pair(line, "-outfile-pattern", job->file_of[0]);
    if (job->file_of[1])
        add_pair(line, "-errfile-pattern", job->file_of[1]);
    launchers_add(line, "-hosts");
    words_add(line, join_hosts(hosts));
    if (job->label)
        launchers_add(line, "-prepend-rank");
    if (bind)
        add_pair(line, "-bind-to", bind);
    if (bind && job->place.map && job->place.map_level < LEVEL_MACHINE)
        add_pair(line, "-map-by", levels[job->place.map_level]);
    for (int i = 0; i < job->apps; i++) {
        if (i > 0)
            launchers_add(line, ":");
        launchers_add_number(line, "-n", job->app[i].count);
        hydra_add_environment(job, &job->app[i], line);
        if (job->app[i].wdir)
            add_pair(line, "-wdir", job->app[i].wdir);
        add_program(job, &job->app[i], line);
    }
    return MPI_SUCCESS;
}

/* For PRRTE's launcher and its ancestor, Open MPI's. They forward little of the environment, so they are told the
 * names of its variables; not the values, which everybody on the host could read. */
static void open_rte_line(const struct job *job, const struct words *hosts, struct words *line)
{
    static const char *const levels[LEVELS] = {"hwthread", "core", "l2cache", "l3cache", "numa", "socket"};
    const char *bind = bind_word(job, "none", levels);

    if (geteuid() == 0)
        launchers_add(line, "--allow-run-as-root");
    if (hint_process.value[HINT_SURVIVE])
        launchers_add(line, "--enable-recovery");
    if (bind)
        add_pair(line, "--bind-to", bind);
    if (job->place.rank)
        add_pair(line, "--rank-by", job->place.rank);
    for (int i = 0; i < job->apps; i++) {
        if (i > 0)
            launchers_add(line, ":");
        if (job->parent) {
            add_pair(line, "-x", "INKLING_JOB_PARENT");
            add_pair(line, "-x", "INKLING_JOB_SECRET");
            variables_name_unseen(job, "-x", line);
        }
        add_pair(line, "-x", "INKLING_JOB_HOSTS");
        if (job->report_port)
            add_pair(line, "-x", "INKLING_JOB_REPORT");
        variables_name_all(job, &job->app[i], "-x", line);
        launchers_add(line, "--host");
        words_add(line, join_hosts(hosts));
        launchers_add_number(line, "-n", job->app[i].count);
        if (job->app[i].wdir)
            add_pair(line, "--wdir", job->app[i].wdir);
        add_program(job, &job->app[i], line);
    }
}

static int prterun_line(const struct job *job, const struct words *hosts, struct words *line)
{
    launchers_add(line, "prterun");
    add_pair(line, "--map-by", words_format("%s:OVERSUBSCRIBE", job->place.map ? job->place.map : "slot"));
    if (job->label)
        add_pair(line, "--output", "tag");
    open_rte_line(job, hosts, line);
    return MPI_SUCCESS;
}

static void orterun_add_output(const struct job *job, struct words *line)
{
    if (job->place.map)
        add_pair(line, "--map-by", job->place.map);
    if (job->place.is_reported)
        launchers_add(line, "--report-bindings");
    if (job->place.is_shown)
        launchers_add(line, "--display-map");
    if (job->timestamp)
        launchers_add(line, "--timestamp-output");
    if (job->merges)
        launchers_add(line, "--merge-stderr-to-stdout");
    if (job->copy_to) {
        launchers_add(line, "--output-filename");
        words_add(line, words_format("%s%s", job->copy_to, job->copies_without_job ? ":nojobid" : ""));
    }
    if (job->input > 0)
        launchers_add_number(line, "--stdin", job->input);
    else if (job->input < 0)
        add_pair(line, "--stdin", job->input == INPUT_ALL ? "all" : "none");
}

static int orterun_line(const struct job *job, const struct words *hosts, struct words *line)
{
    launchers_add(line, "orterun");
    launchers_add(line, "--oversubscribe");
    orterun_add_output(job, line);
    add_for_launcher(job, "--mca", line);
    if (job->label)
        launchers_add(line, "--tag-output");
    open_rte_line(job, hosts, line);
    return MPI_SUCCESS;
}

/* The number of slots per host if all have the same number; else 0. */
static int common_slots(const struct words *hosts)
{
    int slots = atoi(strrchr(hosts->word[0], ':') + 1);

    for (int i = 1; i < hosts->count; i++)
        if (atoi(strrchr(hosts->word[i], ':') + 1) != slots)
            return 0;
    return slots;
}

/* The host of each rank, as Slurm's arbitrary distribution needs it: by slots, round robin over the hosts. */
static char *list_hosts(const struct job *job, const struct words *hosts)
{
    struct words list = {0};

    for (int i = 0; list.count < job->size; i = (i + 1) % hosts->count) {
        const char *host = hosts->word[i], *colon = strrchr(host, ':');

        for (int slot = 0; slot < atoi(colon + 1) && list.count < job->size; slot++)
            words_add(&list, words_format("%.*s", (int)(colon - host), host));
    }
    return join_hosts(&list);
}

/* If all hosts have the same number of slots, Slurm places the ranks itself, and then knows who is where
 * (boot/pmi.c). */
static void add_places(const struct job *job, const struct words *hosts, struct words *line)
{
    int slots = common_slots(hosts);
    int used = slots ? (job->size + slots - 1) / slots : 0;
    struct words names = {0};

    if (!slots) {
        launchers_add(line, "--distribution=arbitrary");
        launchers_add(line, "-w");
        words_add(line, list_hosts(job, hosts));
        return;
    }
    if (used > hosts->count)
        used = hosts->count;
    for (int i = 0; i < used; i++)
        words_add(&names, words_format("%.*s", (int)strcspn(hosts->word[i], ":"), hosts->word[i]));
    words_add(line, words_format("--distribution=plane=%d", slots));
    launchers_add_number(line, "-N", used);
    launchers_add(line, "-w");
    words_add(line, join_hosts(&names));
}

static int srun_line(const struct job *job, const struct words *hosts, struct words *line)
{
    static const char *const levels[LEVELS] = {
        "--cpu-bind=threads", "--cpu-bind=cores", NULL,
        "--cpu-bind=ldoms",   "--cpu-bind=ldoms", "--cpu-bind=sockets"};
    const char *bind = bind_word(job, "--cpu-bind=none", levels);

    if (job->apps > 1)
        return fail(MPI_ERR_OTHER, "srun starts one program, not %d; try --launcher mpiexec.hydra",
                    job->apps);
    launchers_add(line, "srun");
    launchers_add(line, "--mpi=pmi2"); /* every Slurm has it, and it understands PMI-1 */
    launchers_add(line, "--export=ALL");
    launchers_add(line, "--overlap");
    launchers_add(line, "--overcommit");
    launchers_add(line, hint_process.value[HINT_SURVIVE] ? "--kill-on-bad-exit=0" : "--kill-on-bad-exit=1");
    if (hint_process.value[HINT_SURVIVE])
        launchers_add(line, "--no-kill");
    launchers_add(line, "--input=0");
    add_places(job, hosts, line);
    launchers_add_number(line, "-n", job->size);
    if (job->label)
        launchers_add(line, "--label");
    if (bind)
        launchers_add(line, bind);
    if (job->app[0].wdir)
        add_pair(line, "--chdir", job->app[0].wdir);
    add_program(job, &job->app[0], line);
    return MPI_SUCCESS;
}

const struct remote_launcher launchers[] = {{"srun", "SLURM_JOB_ID", false, srun_line},
                                            {"prterun", NULL, false, prterun_line},
                                            {"mpiexec.hydra", NULL, true, hydra_line},
                                            {"orterun", NULL, false, orterun_line},
                                            {NULL, NULL, false, NULL}};
