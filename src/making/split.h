/* split: partitioning a communicator by color. */
#ifndef MAKING_SPLIT_H
#define MAKING_SPLIT_H

#include "comm/comm.h"

/* Colors: 0 and above; or one of these. */
enum {
    SPLIT_NOWHERE = -1, /* this rank gets no communicator */
    SPLIT_REFUSED = -2  /* and below: see split_refusal */
};

/* Collective over comm. *newcomm has the ranks of this color, ordered by key, then by rank in comm. It is
 * NULL for SPLIT_NOWHERE, and where comm is an intercommunicator and one of its groups has nobody of this
 * color. `call` offers the info to the new communicator's hints. */
int split(struct comm *comm, int64_t color, int key, struct info *info, const char *call,
          struct comm **newcomm);

/* The same in two parts, for callers that exchange something before: first the memory, while the rank can still fail alone.
 * split_into consumes it, as split_release does. */
struct ballot;
int split_reserve(struct comm *comm, struct ballot **ballot);
void split_release(struct ballot *ballot);
int split_into(struct ballot *ballot, int64_t color, int key, struct info *info, const char *call,
               struct comm **newcomm);

/* The color of a rank with an invalid argument. It takes part, so that no rank waits for it, and every rank
 * returns this error class. */
int64_t split_refusal(int error);

#endif
