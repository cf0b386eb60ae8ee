/* typed: sends of items that have gaps in memory, or do not begin at the buffer's address. */
#ifndef P2P_TYPED_H
#define P2P_TYPED_H

#include "p2p/transfer.h"

/* p2p_isend for such items. */
int typed_isend(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm,
                enum plane plane, enum send_mode mode, struct request **request) __attribute__((noinline));

#endif
