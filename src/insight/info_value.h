/* info_value: what an info object has for a key. */
#ifndef INSIGHT_INFO_VALUE_H
#define INSIGHT_INFO_VALUE_H

#include <mpi.h>
#include <stddef.h>

/* Cut to size - 1 characters; "": nothing. */
void info_value_read(MPI_Info info, const char *key, char *value, size_t size);

/* The next word of a list with commas, and where the list goes on. NULL: there is none. */
const char *info_value_word(const char **list, size_t *length);

#endif
