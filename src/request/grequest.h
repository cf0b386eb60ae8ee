/* grequest: bodies of MPI_Grequest_X: generalized requests (MPI-5.0 section 13.2). The wait, test and get_status
 * procedures call the program's functions through request_ops.query and request_ops.conclude. */
#ifndef REQUEST_GREQUEST_H
#define REQUEST_GREQUEST_H

#include "request/request.h"

int grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                   MPI_Grequest_cancel_function *cancel_fn, void *extra_state, struct request **request);
int grequest_complete(struct request *r);

#endif
