/* collective_buffers: which ranks give and take data in a collective call. */
#ifndef INSIGHT_OBJECTS_COLLECTIVE_BUFFERS_H
#define INSIGHT_OBJECTS_COLLECTIVE_BUFFERS_H

#include "insight/objects/comm_record.h"

/* Whether a call's first buffer is read here, or its last one is written. */
bool collective_check_gives(const struct intercept *call, const struct comm_record *comm);
bool collective_check_takes(const struct intercept *call, const struct comm_record *comm);
/* False: its root says MPI_PROC_NULL, or the library below refuses it. */
bool collective_check_takes_part(const struct intercept *call, const struct comm_record *comm);

#endif
