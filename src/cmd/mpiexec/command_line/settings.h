/* settings: what each option of mpiexec does to the job. */
#ifndef CMD_MPIEXEC_COMMAND_LINE_SETTINGS_H
#define CMD_MPIEXEC_COMMAND_LINE_SETTINGS_H

#include "cmd/mpiexec/command_line/options.h"

/* The state of the parser. */
struct parse {
    struct job *job;
    struct app *app;  /* the part that options belong to */
    const char *name; /* the option, as given, without dashes */
    enum options_wish wish;
    int depth; /* nesting of --file */
};

typedef int option_fn(struct parse *p, char **value);

option_fn settings_count, settings_soft, settings_wdir, settings_path, settings_env, settings_export,
    settings_host, settings_arch, settings_errhandler, settings_thread_level, settings_kinds, settings_label,
    settings_direct_output, settings_bind, settings_timeout, settings_setting, settings_genv,
    settings_hostfile, settings_launcher, settings_universe, settings_hint, settings_hints,
    settings_hints_report, settings_stats, settings_check_run, settings_advise, settings_appnum,
    settings_parent, settings_nothing;

/* Checks what depends on the whole command line: numbers of processes, MPIEXEC_TIMEOUT, library settings,
 * programs. */
int settings_check(struct job *job);

#endif
