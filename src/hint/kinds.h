/* kinds: memory allocation kind lists (MPI-5.0 section 11.4.3).
 *
 *     list     = "" | element { "," element }        outer spaces of an element are stripped
 *     element  = kind { ":" restrictor }             no space inside
 *
 * The supported kinds are those of memory/kind.h that this machine has. Names are compared exactly. Several
 * restrictors on one element are taken as their union.
 */
#ifndef HINT_KINDS_H
#define HINT_KINDS_H

#include "memory/kind.h"

#include <stdbool.h>
#include <stddef.h>

/* Writes the supported elements of `requested`, once each and as they are spelled, then those of `besides`
 * that are not among them. Writes whole elements only, at most size - 1 characters; `besides` has priority. */
void kinds_provide(const char *requested, const char *besides, char *buffer, size_t size);

/* The kinds of a model (World or session) for which these were requested: the supported ones, and always mpi
 * and system. */
void kinds_provide_for_model(const char *requested, char *buffer, size_t size);

/* The first element of the list that is not supported, or names no kind of the set: why not, with the element in
 * `buffer`. NULL: there is none. */
const char *kinds_refused(const char *list, int64_t set, char *buffer, size_t size);

/* The kinds that the supported elements of a list name, as a set of memory/kind.h. */
int64_t kinds_set(const char *list);
/* The set of hint_world_kinds(). */
int64_t kinds_world_set(void);

#endif
