/* split: partitioning a communicator by color. */
#ifndef COMM_MAKE_SPLIT_H
#define COMM_MAKE_SPLIT_H

#include "comm/comm.h"

/* Colors: 0 and above; or one of these. */
enum {
    SPLIT_NOWHERE = -1, /* this rank gets no communicator */
    SPLIT_REFUSED = -2  /* and below: see split_refusal */
};

/* Collective over comm. *newcomm has the ranks of this color, ordered by key, then by rank in comm; NULL for
 * SPLIT_NOWHERE, and where comm is an intercommunicator and one of its groups has nobody of this color. The
 * info is offered to the new communicator's hints by `call`. */
int split(struct comm *comm, int64_t color, int key, struct info *info, const char *call,
          struct comm **newcomm);

/* The color of a rank that was called with an invalid argument: it takes part, so that nobody waits for it,
 * and every rank returns this error class. */
int64_t split_refusal(int error);

#endif
