/* persistent_check: persistent requests that are waited for and never started (MPI-5.0 section 3.9).
 *
 * To wait for an inactive request is legal: it returns at once. It is a slip if the program does not look at the status, which
 * tells, waits for no other request with the same call, and never starts a request that was made by the same line. All this is known when
 * the request is freed, or at the end.
 */
#ifndef INSIGHT_CHECKS_REQUEST_PERSISTENT_CHECK_H
#define INSIGHT_CHECKS_REQUEST_PERSISTENT_CHECK_H

#include "insight/call/intercept.h"
#include "insight/objects/request_record.h"

/* MPI_Wait or MPI_Waitall is about to wait for these. */
void persistent_check_wait(const struct intercept *call, const MPI_Request *request, int64_t count);
/* MPI_Start is about to start it. */
void persistent_check_start(const struct request_record *r);
/* It is freed, or has not been when the program ends. */
void persistent_check_end(const struct request_record *r);

#endif
