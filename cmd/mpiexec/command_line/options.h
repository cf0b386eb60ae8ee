/* options: mpiexec's command line. One table drives parsing, help and spelling suggestions. */
#ifndef CMD_MPIEXEC_COMMAND_LINE_OPTIONS_H
#define CMD_MPIEXEC_COMMAND_LINE_OPTIONS_H

#include "cmd/mpiexec/job.h"

#include <stdbool.h>

enum options_wish {
    WISH_RUN,
    WISH_EXPLAIN,
    WISH_EXAMINE,
    WISH_HELP,
    WISH_VERSION
};

/* Fills in the job's parts and settings, and checks what can be checked without starting anything. Unless the
 * wish is WISH_RUN the job is incomplete. */
int options_parse(int argc, char **argv, struct job *job, enum options_wish *wish);
/* Parses the parts of a command line, each a list of words. Colons have no special meaning in them. */
int options_parse_parts(const struct words *part, int parts, struct job *job);
void options_print_help(void);

/* settings: what each option of mpiexec does to the job. settings_placement, settings_output and settings_peers have those of their
 * names. */

/* The state of the parser. */
struct parse {
    struct job *job;
    struct app *app;  /* the part that options belong to */
    const char *name; /* the option, as given, without dashes */
    const char *text; /* what the table says of it */
    enum options_wish wish;
    int depth;     /* nesting of --file */
    bool explains; /* nothing is started: `inkling explain` wants to know what it means */
    bool examines; /* nothing is started: `inkling doctor` wants to know whether it could be */
};

typedef int option_fn(struct parse *p, char **value);

option_fn settings_count, settings_soft, settings_wdir, settings_path, settings_env, settings_export,
    settings_host, settings_arch, settings_errhandler, settings_thread_level, settings_kinds,
    settings_timeout, settings_setting, settings_genv, settings_hostfile, settings_universe, settings_hint,
    settings_hints, settings_hints_report, settings_stats, settings_survive, settings_check_run,
    settings_advise, settings_appnum, settings_parent, settings_nothing;
option_fn settings_bind, settings_bind_named, settings_map, settings_map_named, settings_rank_by,
    settings_per_host, settings_per_node, settings_per_socket, settings_ppr, settings_width, settings_cores,
    settings_placing, settings_display;
option_fn settings_label, settings_label_pattern, settings_timestamp, settings_direct_output, settings_merge,
    settings_output_folder, settings_outfile, settings_errfile, settings_output_list, settings_input,
    settings_codes, settings_quiet;
option_fn settings_abi, settings_with_ft, settings_ignored, settings_mca, settings_inherit,
    settings_inherit_list, settings_interface, settings_prefix, settings_launcher;

/* Parses a decimal integer from min to max. */
int settings_parse_number(const struct parse *p, const char *text, long min, long max, int *number);
/* Finds the index of `text` in a list of words ended by NULL. */
int settings_parse_choice(const struct parse *p, const char *text, const char *const *words, int *index);

/* Checks what depends on the whole command line: numbers of processes, MPIEXEC_TIMEOUT, library settings,
 * programs. */
int settings_check(struct job *job);
/* Parts of it. The first chooses how many processes a part has that does not say so, if the places do. */
int settings_count_places(struct job *job);
int settings_check_places(const struct job *job);
int settings_check_peers(struct job *job);
int settings_check_output(const struct job *job);

/* host_names: the host names that a user gives. mpiexec itself starts ranks only on this host;
 * launch/launch.h handles other hosts. */

/* Checks "name,name:slots,...". Sets *elsewhere if some name is not this host's. A name that resolves to no
 * host is an error. */
int host_names_check(const char *list, const char *option, bool *elsewhere);
/* The same for a file with one host a line: "name", "name:slots" or "name slots=N". */
int host_names_check_file(const char *path, bool *elsewhere);
/* The sum of its max_slots; 0: some host has none. */
int host_names_limit(const char *path, int *limit);
/* Whether this host has the name. */
bool host_names_is_own(const char *name);

/* Read the same lists as words "name:slots". The default for slots is 1. */
int host_names_read(const char *list, struct words *hosts);
int host_names_read_file(const char *path, struct words *hosts);

#endif
