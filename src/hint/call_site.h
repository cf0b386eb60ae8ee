/* call_site: where in its source the program called MPI, for hints from outside that name such a place.
 *
 * The stack is looked at, and addr2line asked, only for text that names a place; once for each place that the process
 * makes objects at. Where Python code makes the call, the script's line is the place. What is found is kept for the life of the
 * process.
 */
#ifndef HINT_CALL_SITE_H
#define HINT_CALL_SITE_H

#include "hint/parse.h"
#include "plain/source_place.h"

#include <stdbool.h>

/* Whether the text is a place: FILE:LINE, or FUNCTION(). */
bool call_site_is_place(struct hint_span text);
/* Of the MPI call that this thread is in, behind Inkling's own libraries. NULL: it cannot be told. */
const struct source_place *call_site_find(void);
/* Whether the text means this place. FILE may have folders before it, and a function its class. */
bool call_site_matches(const struct source_place *site, struct hint_span text);

#endif
