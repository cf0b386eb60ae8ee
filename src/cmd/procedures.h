/* procedures: `inkling status`: which of MPI's procedures work in this library. */
#ifndef CMD_PROCEDURES_H
#define CMD_PROCEDURES_H

#include <stdbool.h>

/* The transports, and how many procedures of each chapter work. Returns 0. */
int procedures_print(bool as_json);
/* One procedure; case does not matter. False: there is none, and *near is one that is spelled like it, or NULL. */
bool procedures_print_one(const char *name, bool as_json, const char **near);

#endif
