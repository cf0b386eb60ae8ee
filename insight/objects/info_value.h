/* info_value: what an info object has for a key. */
#ifndef INSIGHT_OBJECTS_INFO_VALUE_H
#define INSIGHT_OBJECTS_INFO_VALUE_H

#include "insight/call/intercept.h"

#include <mpi.h>
#include <stddef.h>

/* Cut to size - 1 characters; "": nothing. */
void info_value_read(MPI_Info info, const char *key, char *value, size_t size);

/* Adds to what an object keeps, as the library below says, what the call gives and a library of another maker does not speak of: the
 * promise is made all the same. */
void info_value_add_given(const struct intercept *call, MPI_Info kept);

/* The next word of a list with commas, and where the list goes on. NULL: there is none. */
const char *info_value_word(const char **list, size_t *length);

#endif
