/* outside: hints for the objects of a program that nobody can edit: mpiexec --hint and --hints, which become the
 * setting inkling_hints. It is a text of lines:
 *
 *     KEY = VALUE [@ WHERE]      offered when an object is made, before the info of the call that makes it
 *     !KEY [@ WHERE]             what the program itself says of this key is not heard
 *     # a comment
 *
 * WHERE is a kind of object (comm, win, file, session, memory), the call that makes it (MPI_Comm_dup), the place of
 * that call (call_site.c), or its name (MPI_COMM_WORLD, a file's). Without it, all objects are meant that know the key.
 * All processes have one text, so hints that must be the same on all ranks are.
 *
 * Communicators and windows may get their names later. What is meant for a name is offered then, unless the program
 * has given that hint itself. Naming asks no other rank, so hints that must be the same on all are not offered.
 *
 * A line matches an object that knows its key and is WHERE the line says. How many each line has matched is told when MPI ends
 * (hint/report.h): a line with WHERE that has matched none is said at the end of the job, since it does nothing.
 */
#ifndef HINT_OUTSIDE_H
#define HINT_OUTSIDE_H

#include "hint/hint.h"
#include "hint/parse.h"
#include "plain/source_place.h"

#include <stdbool.h>

/* Whether each line is well-formed and its value legal. The note has `source`, the line's number, and what was
 * probably meant. */
int outside_check(const char *source, const char *text);

/* Offers what the text has for an object that `call` makes. */
void outside_offer(struct hints *h, unsigned when, const char *call);
/* Whether the text switches off what the program gives for this key. */
bool outside_switches_off(const struct hints *h, const char *key);

/* Whether the text has hints for objects of this name. */
bool outside_knows_name(const char *name);
/* Offers them to an object that has just got its name. */
void outside_offer_named(struct hints *h);

/* Tells of each line how many objects it has matched in this process, of this rank in MPI_COMM_WORLD. */
void outside_report(int rank);
/* How many objects all lines together have matched. */
uint64_t outside_count_matches(void);

/* call_site: where in its source the program called MPI, for hints from outside that name such a place.
 *
 * The stack is looked at, and addr2line asked, only for text that names a place; once for each place that the process
 * makes objects at. Where Python code makes the call, the script's line is the place. What is found is kept for the life of the
 * process.
 */

/* Whether the text is a place: FILE:LINE, or FUNCTION(). */
bool call_site_is_place(struct hint_span text);
/* Of the MPI call that this thread is in, behind Inkling's own libraries. NULL: it cannot be told. */
const struct source_place *call_site_find(void);
/* Whether the text means this place. FILE may have folders before it, and a function its class. */
bool call_site_matches(const struct source_place *site, struct hint_span text);

#endif
