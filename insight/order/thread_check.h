/* thread_check: calls that the level of threads does not allow (MPI-5.0 section 11.6). */
#ifndef INSIGHT_ORDER_THREAD_CHECK_H
#define INSIGHT_ORDER_THREAD_CHECK_H

#include "insight/call/intercept.h"

/* The caller has the lock. */
void thread_check(struct intercept *call);
/* Whether several threads have made calls, so that the order of calls says nothing about that of messages. */
bool thread_check_is_shared(void);
/* A collective begins while another thread is in one of the same communicator (MPI-5.0 section 11.6.2). */
void thread_check_collective(struct intercept *call);

#endif
