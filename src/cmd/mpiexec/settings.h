/* settings: what each option of mpiexec does to the job. */
#ifndef CMD_MPIEXEC_SETTINGS_H
#define CMD_MPIEXEC_SETTINGS_H

#include "cmd/mpiexec/options.h"

/* Where the parser stands. */
struct parse {
    struct job *job;
    struct app *app;  /* the part that options belong to */
    const char *name; /* the option, as given, without dashes */
    enum options_wish wish;
    int depth; /* of --file within --file */
};

typedef int option_fn(struct parse *p, char **value);

option_fn set_count, set_soft, set_wdir, set_path, set_env, set_export, set_host, set_arch, set_errhandler,
    set_thread_level, set_kinds, set_label, set_bind, set_timeout, set_setting, set_genv, set_hostfile,
    set_launcher, set_universe, set_hints_report, set_appnum, set_parent, set_nothing;

/* What needs the whole command line: numbers of processes, MPIEXEC_TIMEOUT, library settings, programs. */
int settings_check(struct job *job);

#endif
