/* request_twice: one request that is waited for twice, by two threads or in one array. */
#ifndef INSIGHT_CHECKS_REQUEST_REQUEST_TWICE_H
#define INSIGHT_CHECKS_REQUEST_REQUEST_TWICE_H

#include "insight/call/intercept.h"
#include "insight/objects/request_record.h"

/* A call that waits for the request in this variable begins. */
void request_twice_look_at_wait(struct intercept *call, const struct request_record *r,
                                const MPI_Request *variable);
/* A call with an array of requests begins. */
void request_twice_look_at_list(struct intercept *call, const MPI_Request *request, int64_t count);

#endif
