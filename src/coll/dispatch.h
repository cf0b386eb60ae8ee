/* dispatch: chooses how a collective call is carried out, and starts it.
 *
 * The choice is made once for each call, here, from the table (choice.h): through mailboxes or between the
 * ranks' buffers (a plan of coll/shm), or by a schedule of messages, for which a builder in the file of the collective names the steps.
 * Where the table chooses shared memory and there is none yet, it is asked again without it.
 */
#ifndef COLL_DISPATCH_H
#define COLL_DISPATCH_H

#include "coll/coll_call.h"
#include "coll/sched/schedule.h"

/* Carries the call out, or starts it, or makes the persistent request for it. info: hints for this operation alone; NULL: none. */
int dispatch_call(struct comm *comm, const struct coll_call *call, enum form form, struct info *info,
                  struct request **request);

#endif
