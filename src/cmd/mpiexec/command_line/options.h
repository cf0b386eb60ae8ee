/* options: mpiexec's command line. One table drives parsing, help and spelling suggestions. */
#ifndef CMD_MPIEXEC_COMMAND_LINE_OPTIONS_H
#define CMD_MPIEXEC_COMMAND_LINE_OPTIONS_H

#include "cmd/mpiexec/job.h"

#include <stdbool.h>

enum options_wish {
    WISH_RUN,
    WISH_HELP,
    WISH_VERSION
};

/* Fills in the job's parts and settings, and checks what can be checked without starting anything. Unless the
 * wish is WISH_RUN the job is incomplete. */
int options_parse(int argc, char **argv, struct job *job, enum options_wish *wish);
/* Parses the parts of a command line, each a list of words. Colons have no special meaning in them. */
int options_parse_parts(const struct words *part, int parts, struct job *job);
void options_print_help(void);

/* settings: what each option of mpiexec does to the job. */

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

/* host_names: the host names that a user gives. mpiexec itself starts ranks only on this host;
 * launch/launch.h handles other hosts. */

/* Checks "name,name:slots,...". Sets *elsewhere if some name is not this host's. A name that resolves to no
 * host is an error. */
int host_names_check(const char *list, const char *option, bool *elsewhere);
/* The same for a file with one host a line: "name", "name:slots" or "name slots=N". */
int host_names_check_file(const char *path, bool *elsewhere);

/* Read the same lists as words "name:slots". The default for slots is 1. */
int host_names_read(const char *list, struct words *hosts);
int host_names_read_file(const char *path, struct words *hosts);

#endif
