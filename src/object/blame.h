/* blame: which object's error handler gets the error that the calling thread's current MPI call is about to
 * return.
 *
 * A body uses it where it knows better than the entry point (api/call.h): for a failed receive that
 * MPI_Waitall finds.
 *
 * Threads: each has its own.
 */
#ifndef OBJECT_BLAME_H
#define OBJECT_BLAME_H

#include "object/object.h"

/* Chooses the handler of this object: a communicator, a session, a window or a file. Any other object, or NULL,
 * chooses that of errors without an object (api/raise.h). Only the first blame of a call counts. */
void blame_object(struct object *owner);
/* Whether blame_object takes a reference to it: to communicators and sessions, which live as long as they have one.
 * Windows and files end with their handles; they may not while requests of theirs are left. */
bool blame_is_counted(const struct object *owner);
/* False: nothing was blamed. *owner: NULL: none; the caller now owns the reference, if it is counted. */
bool blame_take(struct object **owner);

/* Notes the handle that the caller passed at this address. For a body that changes the handle before it
 * returns an error: the message shows the original. */
void blame_handle(const void *at, uint64_t handle);
/* NULL: none was changed. */
const void *blame_take_handle(uint64_t *handle);

#endif
