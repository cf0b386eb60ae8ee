/* kinds: memory allocation kind lists (MPI-5.0 section 11.4.3).
 *
 *     list     = "" | element { "," element }        outer spaces of an element are stripped
 *     element  = kind { ":" restrictor }             no space inside
 *
 * Supported are the kinds of memory/kind.h that are there on this machine. Names are compared exactly.
 * Several restrictors on one element are taken as their union.
 */
#ifndef HINT_KINDS_H
#define HINT_KINDS_H

#include "memory/kind.h"

#include <stdbool.h>
#include <stddef.h>

/* Every element of the list is well formed and supported; true for the empty list. */
bool kinds_are_supported(const char *list);

/* The elements of `requested` that are supported, once each, as they are spelled, then those of `besides`
 * that are not among them; at most size - 1 characters, of whole elements, where `besides` has priority. */
void kinds_provide(const char *requested, const char *besides, char *buffer, size_t size);

/* The kinds of a model, World or session, that was asked for these: those that are supported, and in any case
 * mpi and system. */
void kinds_provide_for_model(const char *requested, char *buffer, size_t size);

/* Every element of the list names a kind of the set; restrictors are not looked at. */
bool kinds_name_only(const char *list, int64_t set);

/* What the supported elements of a list stand for: a set as memory/kind.h has it. */
int64_t kinds_set(const char *list);
/* That of hint_world_kinds(). */
int64_t kinds_world_set(void);

#endif
