/* advise_verb: `inkling advise` makes the advice again from the profile of a run. */
#ifndef CMD_ADVISE_VERB_H
#define CMD_ADVISE_VERB_H

#include <stdbool.h>

/* Prints the advice to standard output; has_all: also hints that gain nothing. */
int advise_verb(const char *folder, bool as_json, bool has_all);

#endif
