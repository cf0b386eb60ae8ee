/* win_local: memory of a window that calls read and write, which are no accesses to it. */
#ifndef INSIGHT_CHECKS_ACCESS_WIN_LOCAL_H
#define INSIGHT_CHECKS_ACCESS_WIN_LOCAL_H

#include "insight/call/intercept.h"
#include "insight/objects/win_access.h"

/* A call reads or writes this memory, which may be a window's; a send says so before the call, a receive after it. */
void win_check_local(struct intercept *call, const void *buffer, int64_t count, MPI_Datatype type,
                     bool is_written);
/* The request of an access that fetched is complete: a struct access on the board, 0 for none, and its serial. */
void win_check_fetched(uint64_t access, uint64_t serial);
/* The bytes of an access, as far as they are in few pieces. */
void win_local_parts(struct access *a, int64_t start, int64_t count, MPI_Datatype datatype);

#endif
