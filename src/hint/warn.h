/* warn: warnings about hints, each once per process; mpiexec folds those of several ranks. */
#ifndef HINT_WARN_H
#define HINT_WARN_H

#include "hint/hint.h"

#include <stdbool.h>

/* True the first time that it is called for this text. It remembers the last 256 texts. Thread-safe. */
bool warn_is_due(const char *text);
/* Whether it remembers the text. */
bool warn_is_known(const char *text);
/* Warns of a key of these hints, once for each text, which begins with the call and the object's name:
 * "MPI_Comm_set_info on communicator "halo": ...". A program that makes the same slip on object after object is told of WARN_LIMIT. */
void warn_of_key(const struct hints *h, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

enum {
    WARN_LIMIT = 8
};

#endif
