#include "cmd/mpiexec/command_line/options.h"

#include "cmd/diagnosis.h"
#include "cmd/mpiexec/command_line/notices.h"
#include "cmd/mpiexec/command_line/words.h"
#include "plain/fail.h"
#include "plain/spelling.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names are separated by spaces; help shows the first. An option has one dash or two. */
struct option {
    const char *names, *arguments, *text;
    option_fn *set;
    const char *heading; /* printed in the help before this row */
};

static int set_help(struct parse *p, char **value);
static int set_version(struct parse *p, char **value);
static int set_explain(struct parse *p, char **value);
static int set_examine(struct parse *p, char **value);
/* "text:N" or "json:N": N findings were printed before. */
static int set_examine(struct parse *p, char **value)
{
    diagnosis_as_json(strncmp(value[0], "json", 4) == 0,
                      (int)strtol(value[0] + strcspn(value[0], "0123456789"), NULL, 10));
    p->examines = true;
    return 0;
}

static int set_configfile(struct parse *p, char **value);
static int set_file(struct parse *p, char **value);

static const struct option table[] = {
    {"n np c", "N", "start N processes (default: one for each slot of the hosts named, else 1)",
     settings_count, "Options of one program (each part between ':' has its own):"},
    {"soft", "LIST", "take the largest number up to N in LIST: n, a:b or a:b:step, comma separated",
     settings_soft, 0},
    {"wdir wd", "DIR", "work in DIR", settings_wdir, 0},
    {"path", "DIRS", "look for the program in DIRS (colon separated) first", settings_path, 0},
    {"env", "NAME VALUE", "set NAME in the environment", settings_env, 0},
    {"x", "NAME[=VALUE]", "set NAME, or pass mpiexec's own on", settings_export, 0},
    {"envall envnone", "", "pass on mpiexec's environment (default), or none of it", settings_inherit, 0},
    {"envlist", "NAMES", "pass on these only", settings_inherit_list, 0},
    {"host hosts H", "NAMES", "hosts to use; others than this one take a launcher", settings_host, 0},
    {"arch", "NAME", "start only on this architecture, as `uname -m` says it", settings_arch, 0},
    {"initial-errhandler", "NAME", "mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return",
     settings_errhandler, 0},
    {"thread-level", "NAME", "support threads at least like that: MPI_THREAD_SINGLE ... MPI_THREAD_MULTIPLE",
     settings_thread_level, 0},
    {"memory-alloc-kinds", "LIST", "memory the program uses: system, mpi (with restrictors)", settings_kinds,
     0},
    {"file", "FILE", "read more options of this program from FILE", set_file, 0},
    {"appnum", "N", "the value of MPI_APPNUM (default: the number of the part, from 0)", settings_appnum, 0},
    {"prefix", "DIR", "find programs and libraries in DIR/bin and DIR/lib first, if an Inkling is there",
     settings_prefix, 0},

    {"label l prepend-rank tag-output", "", "begin every line of output with the rank, like [3]",
     settings_label, "Options of the job: output and input"},
    {"prepend-pattern", "TEXT",
     "begin it with TEXT, in which %r is the rank, %h the host, %t the time in seconds",
     settings_label_pattern, 0},
    {"timestamp-output", "", "begin it with the time", settings_timestamp, 0},
    {"merge-stderr-to-stdout", "", "send standard error where standard output goes", settings_merge, 0},
    {"output-filename", "DIR",
     "copy the output of rank N to DIR/1/rank.N/stdout and stderr; DIR:nocopy: only there",
     settings_output_folder, 0},
    {"outfile-pattern", "FILE", "standard output goes to FILE, with %r, %h, %t as above", settings_outfile,
     0},
    {"errfile-pattern", "FILE", "the same of standard error", settings_errfile, 0},
    {"output", "LIST", "of tag, timestamp, merge, dir=DIR, file=FILE (of rank N: FILE.N)",
     settings_output_list, 0},
    {"direct-output", "",
     "give the ranks mpiexec's own output, instead of passing on their lines, each as a whole",
     settings_direct_output, 0},
    {"stdin s", "WHO", "the rank that gets standard input (default 0), or all, or none", settings_input, 0},
    {"print-all-exitcodes", "", "tell each rank's exit code at the end", settings_codes, 0},
    {"quiet q", "", "do not say which options and settings of other launchers are ignored or taken over",
     settings_quiet, 0},

    {"hostfile machinefile machine default-hostfile f", "FILE", "a list of hosts, one a line",
     settings_hostfile, "Options of the job: places"},
    {"launcher bootstrap", "NAME",
     "reach other hosts with srun, prterun, mpiexec.hydra or orterun (default: the first that is here)",
     settings_launcher, 0},
    {"iface", "NAME", "the network interface between hosts", settings_interface, 0},
    {"ppn perhost grr", "N", "put N ranks on each host, then on the first again", settings_per_host, 0},
    {"N npernode", "N", "put N ranks on each host, and start as many if there is no -n (not srun's -N)",
     settings_per_node, 0},
    {"pernode", "", "the same with one", settings_per_node, 0},
    {"npersocket", "N", "the same for each socket", settings_per_socket, 0},
    {"ppr", "N:WHAT", "the same for each WHAT", settings_ppr, 0},
    {"rr", "", "deal them to the hosts one by one", settings_per_host, 0},
    {"nolocal skip-launch-node", "", "put none on this host", settings_placing, 0},
    {"bind-to", "WHAT",
     "none, hwthread, core, l2cache, l3cache, numa, socket, or auto: an equal share of the cores, if there "
     "are "
     "enough (default); WHAT:overload-allowed",
     settings_bind, 0},
    {"bind-to-core bind-to-socket bind-to-none", "", "former names of these", settings_bind_named, 0},
    {"map-by", "WHAT",
     "deal ranks to slot, core, hwthread, l2cache, l3cache, numa, socket or node in turn; ppr:N:WHAT: N to "
     "each; "
     "WHAT:PE=N: N cores a rank",
     settings_map, 0},
    {"byslot bycore bysocket bynode", "", "former names of these", settings_map_named, 0},
    {"rank-by", "WHAT", "number the ranks one of each WHAT in turn", settings_rank_by, 0},
    {"cpus-per-proc cpus-per-rank", "N", "give each rank N cores", settings_width, 0},
    {"cpu-set cpu-list slot-list", "LIST", "use these cores only, such as 0,4-7", settings_cores, 0},
    {"use-hwthread-cpus nooversubscribe", "",
     "hardware threads count as cores; more ranks than cores are an error", settings_placing, 0},
    {"oversubscribe", "", "accepted: more ranks than cores are always welcome", settings_nothing, 0},
    {"report-bindings", "", "say at the start which cores each rank has", settings_placing, 0},
    {"display-map display-allocation display-devel-map display-devel-allocation display-diffable-map "
     "print-rank-map do-not-launch",
     "", "the same with hosts and programs; the last one starts nothing", settings_placing, 0},
    {"display", "LIST", "the same; of map, bind", settings_display, 0},

    {"abi", "NAME",
     "the MPI that the program was built for: openmpi, mpich, none; auto: as its libraries say (default)",
     settings_abi, "Options of the job"},
    {"timeout", "SECONDS", "end the job after so long, with code 124 (or set MPIEXEC_TIMEOUT)",
     settings_timeout, 0},
    {"set", "NAME=VALUE", "set a library setting, as INKLING_NAME does; `inkling hints` lists them",
     settings_setting, 0},
    {"hint", "KEY=VALUE[@WHERE]",
     "a hint from outside, or !KEY to switch off what the program gives for it; WHERE: comm, win, file, "
     "session, memory; the call that makes the object, or its place, FILE:LINE or FUNCTION(); its name",
     settings_hint, 0},
    {"hints", "FILE", "the same from a file, a line each", settings_hints, 0},
    {"hints-report", "",
     "tell at the end what became of each hint that the program gave; --hints-report=all: of each object and "
     "rank; "
     "=json:FILE",
     settings_hints_report, 0},
    {"survive enable-recovery disable-auto-cleanup", "",
     "go on when a rank dies, and tell of each death (docs/SURVIVE.md)", settings_survive, 0},
    {"with-ft", "NAME", "the same for ulfm and mpi", settings_with_ft, 0},
    {"stats", "", "tell at the end what the ranks counted: messages, bytes, collectives, time of waits",
     settings_stats, 0},
    {"check check_mpi", "", "verify the program while it runs; --check=json:FILE,sarif:FILE (docs/CHECK.md)",
     settings_check_run, 0},
    {"advise", "",
     "tell at the end which hints the program could give, and what they would gain; --advise=DIR: the folder "
     "for "
     "advice.html, advice.json and hints.txt (docs/ADVISE.md)",
     settings_advise, 0},
    {"genv", "NAME VALUE", "set NAME in the environment of every part's processes", settings_genv, 0},
    {"genvall genvnone", "", "-envall and -envnone for every part", settings_inherit, 0},
    {"genvlist", "NAMES", "-envlist for every part", settings_inherit_list, 0},
    {"universe-size usize", "N",
     "the value of MPI_UNIVERSE_SIZE (default, and SYSTEM: the number of cores); INFINITE: the largest",
     settings_universe, 0},
    {"configfile app", "FILE", "read the parts from FILE, one a line; '#' begins a comment", set_configfile,
     0},

    {"mca gmca omca gomca", "NAME VALUE", "taken over if Inkling has such a setting, else ignored",
     settings_mca, "Options of other launchers that have no meaning here; one line says which were given"},
    {"prtemca gprtemca pmixmca gpmixmca", "NAME VALUE", "it is about the insides of another launcher",
     settings_ignored, 0},
    {"allow-run-as-root", "", "root needs no permission here", settings_ignored, 0},
    {"am tune mca-base-env-list", "VALUE", "it sets parameters of Open MPI's", settings_ignored, 0},
    {"rmk bootstrap-exec launcher-exec launch-agent branch-count", "NAME",
     "the launcher for other hosts is found without it", settings_ignored, 0},
    {"bootstrap-exec-args launcher-exec-args localhost nameserver ompi-server server-wait-time hnp "
     "report-uri "
     "report-pid add-host add-hostfile",
     "VALUE", "Inkling's mpiexec has no such part", settings_ignored, 0},
    {"dvm novm noprefix leave-session-attached debug-daemons enable-x disable-x disable-hostname-propagation "
     "pmi-port show-progress daemonize report-events wait-for-server do-not-resolve use-regexp "
     "fwd-mpirun-port enable-instant-on-support set-sid localonly localroot",
     "", "Inkling's mpiexec has no daemons", settings_ignored, 0},
    {"disable-recovery continuous", "",
     "a rank that fails ends the job, unless the program handles the error", settings_ignored, 0},
    {"runtime-options forward-signals max-restarts aborted ckpoint-interval ckpoint-prefix ckpoint-num "
     "ckpointlib",
     "VALUE", "signals are forwarded, and a rank that fails ends the job, without it", settings_ignored, 0},
    {"personality exec-agent default-exec-agent topolib demux rankfile rf order-nodes membind gpus-per-proc "
     "gpu-subdevs-per-proc ranks-per-proc use-app-topology cartofile cf max-vm-size tmpdir xml-file xterm "
     "preload-files stream-buffering pset umask logger",
     "VALUE", "Inkling's mpiexec has nothing like it", settings_ignored, 0},
    {"debugger gtool gtoolfile", "VALUE", "Inkling's mpiexec starts the programs themselves, without a tool",
     settings_ignored, 0},
    {"gdb trace aps mps dynamic_tracing trace-pt2pt trace-collectives stop-on-exec stop-in-init "
     "stop-in-app",
     "", "Inkling's mpiexec starts the programs themselves, without a tool", settings_ignored, 0},
    {"report-state-on-timeout get-stack-traces", "", "--timeout says what each rank waits for anyway",
     settings_ignored, 0},
    {"rdma RDMA dapl DAPL ib IB psm PSM psm2 PSM2 mx MX", "",
     "the network is chosen without it; --set OFI_PROVIDER=NAME names a provider", settings_ignored, 0},
    {"hetero hetero-nodes hetero-apps noconf validate cleanup silent-abort echo prot parsable parseable "
     "display-topo index-argv-by-rank set-cwd-to-session-dir",
     "", "Inkling's mpiexec has nothing like it", settings_ignored, 0},
    {"verbose v debug d tv profile xml ordered-output preload-binary", "",
     "Inkling's mpiexec has nothing like it", settings_ignored, 0},
    {"parent", "PORT", NULL, settings_parent, 0},
    {"explain", "", NULL, set_explain, 0},
    {"examine", "FORM", NULL, set_examine, 0},
    {"version V info build-info", "", "print the version", set_version, "Information:"},
    {"help h ?", "", "print this text", set_help, 0},
};

enum {
    OPTIONS = sizeof table / sizeof *table,
    NAME_SIZE = 64,
    FILE_DEPTH = 8,
    HELP_COLUMN = 30
};

static int set_help(struct parse *p, char **value)
{
    (void)value;
    p->wish = WISH_HELP;
    return 0;
}

static int set_version(struct parse *p, char **value)
{
    (void)value;
    p->wish = WISH_VERSION;
    return 0;
}

static int set_explain(struct parse *p, char **value)
{
    (void)value;
    p->explains = true;
    return 0;
}

static int set_configfile(struct parse *p, char **value)
{
    p->job->configfile = value[0];
    return 0;
}

/* Copies the next name of a list to `name`. Returns what follows; NULL at the end. */
static const char *next_name(const char *names, char *name)
{
    size_t length;

    names += strspn(names, " ");
    length = strcspn(names, " ");
    if (length == 0 || length >= NAME_SIZE)
        return NULL;
    memcpy(name, names, length);
    name[length] = 0;
    return names + length;
}

static const struct option *find_option(const char *word)
{
    char name[NAME_SIZE];

    for (int i = 0; i < OPTIONS; i++)
        for (const char *rest = next_name(table[i].names, name); rest; rest = next_name(rest, name))
            if (strcmp(name, word) == 0)
                return &table[i];
    return NULL;
}

static int options_fail_unknown(const char *given, const char *word)
{
    char name[NAME_SIZE], nearest[NAME_SIZE] = "";
    int best = INT_MAX;

    for (int i = 0; i < OPTIONS; i++) {
        for (const char *rest = next_name(table[i].names, name); rest; rest = next_name(rest, name)) {
            int distance;

            if (strlen(name) > 2 && spelling_is_near(word, name, &distance) && distance < best) {
                best = distance;
                strcpy(nearest, name);
            }
        }
    }
    if (nearest[0])
        return fail(MPI_ERR_OTHER, "unknown option %s; did you mean --%s?", given, nearest);
    return fail(MPI_ERR_OTHER, "unknown option %s; mpiexec --help lists the options", given);
}

static int count_arguments(const struct option *option)
{
    return !*option->arguments ? 0 : strchr(option->arguments, ' ') ? 2 : 1;
}

/* Behind '=' only. */
static bool may_have_value(const struct option *option)
{
    return option->set == settings_check_run || option->set == settings_advise ||
           option->set == settings_hints_report;
}

/* Notices say what became of these. */
static bool is_of_others(const struct option *option)
{
    return option->set == settings_ignored || option->set == settings_mca;
}

/* Parses one option with its arguments, which begin at words->word[*next]. */
static int parse_option(struct parse *p, const struct words *words, int *next)
{
    const char *given = words->word[(*next)++];
    const char *word = given + (given[1] == '-' ? 2 : 1);
    char *name = words_format("%s", word), *attached = strchr(name, '=');
    const struct option *option;
    char *value[2] = {NULL, NULL};
    int wanted, error;

    if (attached)
        *attached++ = 0;
    option = find_option(name);
    if (!option)
        return options_fail_unknown(given, name);
    wanted = attached && may_have_value(option) ? 1 : count_arguments(option);
    if (attached && wanted != 1)
        return fail(MPI_ERR_OTHER, "option --%s takes %s", name, wanted ? option->arguments : "no value");
    for (int i = 0; i < wanted; i++)
        value[i] = attached ? attached : *next < words->count ? words->word[(*next)++] : NULL;
    if (wanted > 0 && !value[wanted - 1])
        return fail(MPI_ERR_OTHER, "option --%s lacks its value: --%s %s", name, name, option->arguments);
    p->name = name;
    p->text = option->text;
    error = option->set(p, value);
    if (p->explains && !error && option->text && !is_of_others(option))
        notices_understand(p->job,
                           words_format("%s%s%s%s%s", given, value[0] && !attached ? " " : "",
                                        value[0] && !attached ? value[0] : "", value[1] ? " " : "",
                                        value[1] ? value[1] : ""),
                           option->text);
    return error;
}

/* Parses options up to the first word that is not one. */
static int parse_options(struct parse *p, const struct words *words, int *next)
{
    while (*next < words->count && words->word[*next][0] == '-' && words->word[*next][1]) {
        int error;

        if (strcmp(words->word[*next], "--") == 0) {
            (*next)++;
            return 0;
        }
        error = parse_option(p, words, next);
        if (error || p->wish != WISH_RUN)
            return error;
    }
    return 0;
}

static int set_file(struct parse *p, char **value)
{
    struct words lines = {0}, words = {0};
    int error = words_read_lines(value[0], "options file", &lines), next = 0;

    if (++p->depth > FILE_DEPTH)
        return fail(MPI_ERR_OTHER, "--file %s: files name each other more than %d deep", value[0],
                    FILE_DEPTH);
    for (int i = 0; i < lines.count && !error; i++)
        error = words_cut(lines.word[i], &words);
    if (!error)
        error = parse_options(p, &words, &next);
    if (!error && next < words.count)
        return fail(MPI_ERR_OTHER, "--file %s: '%.64s' is no option", value[0], words.word[next]);
    p->depth--;
    p->app->file = value[0];
    return error;
}

/* Parses options, program and arguments of one part, up to ':' unless colons are ordinary words. */
static int parse_part(struct parse *p, const struct words *words, int *next, bool colons)
{
    struct app *app;
    int error;

    p->job->app = realloc(p->job->app, (size_t)(p->job->apps + 1) * sizeof *p->job->app);
    if (!p->job->app)
        return fail(MPI_ERR_NO_MEM, "out of memory");
    p->app = app = &p->job->app[p->job->apps++];
    *app = (struct app){.maxprocs = 1, .number = p->job->apps - 1};
    error = parse_options(p, words, next);
    if (error || p->wish != WISH_RUN)
        return error;
    while (*next < words->count && !(colons && strcmp(words->word[*next], ":") == 0))
        words_add(&app->argv, words->word[(*next)++]);
    if (app->argv.count == 0 && !p->job->configfile)
        return fail(MPI_ERR_OTHER, "no program is named%s; try: mpiexec -n 4 ./program",
                    p->job->apps > 1 || *next < words->count ? " in one part of the command line" : "");
    return 0;
}

static int parse_line(struct parse *p, const struct words *words)
{
    int next = 0, error;

    for (;;) {
        error = parse_part(p, words, &next, true);
        if (error || p->wish != WISH_RUN || next >= words->count)
            return error;
        next++; /* the colon */
    }
}

/* Form B of the standard: every line of the file is a part. */
static int parse_configfile(struct parse *p)
{
    struct words lines = {0};
    const char *path = p->job->configfile;
    int error;

    if (p->job->apps != 1 || p->app->argv.count > 0)
        return fail(MPI_ERR_OTHER, "--configfile %s names the programs; leave '%s' away", path,
                    p->app->argv.count ? p->app->argv.word[0] : ":");
    error = words_read_lines(path, "configfile", &lines);
    if (!error && lines.count == 0)
        error = fail(MPI_ERR_OTHER, "the configfile '%s' names no program", path);
    p->job->apps = 0;
    p->job->configfile = NULL;
    for (int i = 0; i < lines.count && !error && p->wish == WISH_RUN; i++) {
        struct words words = {0};
        int next = 0;

        error = words_cut(lines.word[i], &words);
        if (!error)
            error = parse_part(p, &words, &next, false);
        if (!error && p->job->configfile)
            error = fail(MPI_ERR_OTHER, "the configfile '%s' names another configfile", path);
    }
    return error;
}

/* What is started. */
static void explain_parts(struct job *job)
{
    for (int i = 0; i < job->apps; i++) {
        const struct app *app = &job->app[i];

        if (app->argv.count > 0)
            notices_understand(
                job, words_join(&app->argv, 0),
                words_format("the program, %d time%s%s%s", app->count ? app->count : app->maxprocs,
                             app->maxprocs == 1 ? "" : "s", app->program ? ": " : "; there is none",
                             app->program ? app->program : ""));
    }
}

int options_parse(int argc, char **argv, struct job *job, enum options_wish *wish)
{
    struct parse p = {.job = job, .wish = WISH_RUN};
    struct words words = {0};
    int error;

    for (int i = 1; i < argc; i++)
        words_add(&words, argv[i]);
    error = parse_line(&p, &words);
    if (!error && job->configfile && p.wish == WISH_RUN)
        error = parse_configfile(&p);
    *wish = p.wish;
    if (!error && p.wish == WISH_RUN)
        error = settings_check(job);
    if (p.explains) {
        explain_parts(job);
        *wish = WISH_EXPLAIN;
    }
    if (p.examines)
        *wish = WISH_EXAMINE;
    return error;
}

int options_parse_parts(const struct words *part, int parts, struct job *job)
{
    struct parse p = {.job = job, .wish = WISH_RUN};
    int error = 0;

    for (int i = 0; i < parts && !error; i++) {
        int next = 0;

        error = parse_part(&p, &part[i], &next, false);
    }
    return error ? error : settings_check(job);
}

static void print_option(const struct option *option)
{
    char name[NAME_SIZE], left[512];
    const char *rest = next_name(option->names, name);
    size_t used = (size_t)snprintf(left, sizeof left, "  %s%s", strlen(name) > 1 ? "--" : "-", name);

    for (rest = next_name(rest, name); rest; rest = next_name(rest, name))
        used +=
            (size_t)snprintf(left + used, sizeof left - used, ", %s%s", strlen(name) > 2 ? "--" : "-", name);
    snprintf(left + used, sizeof left - used, "%s%s", *option->arguments ? " " : "", option->arguments);
    if (strlen(left) + 2 > HELP_COLUMN)
        printf("%s\n%*s%s\n", left, HELP_COLUMN, "", option->text);
    else
        printf("%-*s%s\n", HELP_COLUMN, left, option->text);
}

void options_print_help(void)
{
    printf("mpiexec starts an MPI program on several processes.\n\n"
           "  mpiexec [OPTIONS] PROGRAM [ARGUMENTS] [: [OPTIONS] PROGRAM [ARGUMENTS]] ...\n"
           "  mpiexec --configfile FILE\n\n"
           "Examples:\n"
           "  mpiexec -n 4 ./heat                  four processes of heat\n"
           "  mpiexec -n 1 ./server : -n 3 ./client  two programs in one MPI_COMM_WORLD\n"
           "  mpiexec -n 2 --label hostname        any program; lines tell their rank\n");
    for (int i = 0; i < OPTIONS; i++) {
        if (!table[i].text)
            continue; /* internal: used by spawning */
        if (table[i].heading)
            printf("\n%s\n", table[i].heading);
        print_option(&table[i]);
    }
    printf("\nOptions may have one dash or two, and --name=value works. Standard input goes to rank 0. The "
           "exit\n"
           "code is that of the first rank that failed, 128 + N if signal N killed it. A second ^C kills at "
           "once.\n");
}
