/* agree_hints: agrees on the rows of an object's hints that must be the same on all ranks. For objects that have a
 * communicator of their own: windows, files. */
#ifndef MAKING_AGREE_HINTS_H
#define MAKING_AGREE_HINTS_H

#include "comm/comm.h"

/* Rows on which the ranks disagree get their defaults. Collective. *most: a number of this rank, which becomes the
 * largest of all ranks in the same exchange; NULL on all ranks: none. */
int agree_hints(struct comm *comm, struct hints *hints, int64_t *most);

#endif
