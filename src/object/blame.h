/* blame: whose error handler gets the error that the calling thread's current MPI call is about to return, where the
 * body knows better than the entry point (api/call.h): a failed receive that MPI_Waitall finds.
 *
 * Threads: each has its own.
 */
#ifndef OBJECT_BLAME_H
#define OBJECT_BLAME_H

#include "object/object.h"

/* The handler of this object, a communicator or a session, of which a reference is taken; of any other: that of
 * MPI_COMM_SELF, as with NULL. The first blame of a call counts. */
void blame_object(struct object *owner);
/* False: nothing was blamed. *owner: the reference is the caller's now; NULL: MPI_COMM_SELF. */
bool blame_take(struct object **owner);

/* The handle that the caller passed at this address, where the body has changed it before it returns an error: the
 * message shows it. */
void blame_handle(const void *at, uint64_t handle);
/* NULL: none was changed. */
const void *blame_take_handle(uint64_t *handle);

#endif
