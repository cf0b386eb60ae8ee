/* options: mpiexec's command line. One table drives parsing, help and "did you mean". */
#ifndef CMD_MPIEXEC_COMMAND_LINE_OPTIONS_H
#define CMD_MPIEXEC_COMMAND_LINE_OPTIONS_H

#include "cmd/mpiexec/job.h"

enum options_wish {
    WISH_RUN,
    WISH_HELP,
    WISH_VERSION
};

/* Fills the job's parts and settings and checks what can be checked without starting anything. With a wish
 * other than WISH_RUN the job is incomplete. */
int options_parse(int argc, char **argv, struct job *job, enum options_wish *wish);
/* The parts of a command line, each with its own words, in which colons mean nothing. */
int options_parse_parts(const struct words *part, int parts, struct job *job);
void options_print_help(void);

#endif
