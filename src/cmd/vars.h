/* vars: `inkling vars`: what tools see through MPI_T: settings, performance variables and event types. */
#ifndef CMD_VARS_H
#define CMD_VARS_H

#include <stdbool.h>

/* Those whose name or text has the word; NULL: all. Returns 1 if there are none. */
int vars_run(const char *word, bool as_json);

#endif
