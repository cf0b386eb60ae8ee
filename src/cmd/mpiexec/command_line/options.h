/* options: mpiexec's command line. One table drives parsing, help and spelling suggestions. */
#ifndef CMD_MPIEXEC_COMMAND_LINE_OPTIONS_H
#define CMD_MPIEXEC_COMMAND_LINE_OPTIONS_H

#include "cmd/mpiexec/job.h"

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

#endif
