/* overlap_check: the buffers of one call do not overlap where one of them is written (MPI-5.0 sections 2.3, 3.10 and 6.5). */
#ifndef INSIGHT_CHECKS_BUFFER_OVERLAP_CHECK_H
#define INSIGHT_CHECKS_BUFFER_OVERLAP_CHECK_H

#include "insight/checks/buffer/blocks.h"

/* What MPI_Sendrecv or MPI_Isendrecv sends and receives. */
void overlap_check_sendrecv(struct intercept *call);
/* What a collective sends, and what it receives in `received` or in one block; NULL: none. */
void overlap_check_collective(struct intercept *call, const struct blocks *received);

#endif
