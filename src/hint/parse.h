/* parse: info values as text, by the rules of MPI-5.0 chapter 10. Outer spaces are stripped; everything else
 * is strict. If the text is not legal, nothing is written. */
#ifndef HINT_PARSE_H
#define HINT_PARSE_H

#include "hint/hint.h"
#include "memory/kind.h"

#include <stdbool.h>
#include <stddef.h>

/* Parses legal text for the row, which is of any type but HINT_KINDS and HINT_STRING. */
bool parse_value(const struct hint_row *row, const char *text, int64_t *value);
/* The reverse: true, -7, 64K, 1500us, shm, rar,waw. */
void hint_format_value(const struct hint_row *row, int64_t value, char *buffer, size_t size);

/* The legal values of the row in words: "true or false", "a size from 256 to 1M", ... */
void hint_format_legal(const struct hint_row *row, char *buffer, size_t size);

/* A span of text, not terminated. */
struct hint_span {
    const char *start;
    size_t length;
};

/* Whether the text is a former name of a legal value; *now is its name now. parse_value takes both. */
bool hint_value_is_renamed(const struct hint_row *row, const char *text, struct hint_span *now);

struct hint_span hint_span_trim(struct hint_span s);
bool hint_span_is(struct hint_span s, const char *word);
/* Takes the next comma-separated element, trimmed, off *list; *list becomes NULL after the last one. An empty
 * list has no elements; any other has one more than it has commas. */
bool hint_list_next(const char **list, struct hint_span *element);

/* kinds: memory allocation kind lists (MPI-5.0 section 11.4.3).
 *
 *     list     = "" | element { "," element }        outer spaces of an element are stripped
 *     element  = kind { ":" restrictor }             no space inside
 *
 * The supported kinds are those of memory/kind.h that this machine has. Names are compared exactly. Several
 * restrictors on one element are taken as their union.
 */

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
