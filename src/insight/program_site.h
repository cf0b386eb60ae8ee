/* program_site: where the program goes on after a call, also where a Fortran binding has made it.
 *
 * A call of Fortran's comes from a library of bindings: the program is further up the stack, behind a frame or two of it. What that
 * library does besides by PMPI_ names is not the program's.
 */
#ifndef INSIGHT_PROGRAM_SITE_H
#define INSIGHT_PROGRAM_SITE_H

#include <stdbool.h>

/* Finds the library of bindings, if the program has it. */
void program_site_open(void);
/* The address is one of the bindings. */
bool program_site_is_binding(const void *address);
/* Where the program has called the bindings that go on there; `site` itself if nothing is known. */
void *program_site_find(void *site);

#endif
