/* completion: bodies of the wait, test and free procedures (MPI-5.0 section 3.7). They take the standard's
 * types, since they work on arrays of handles and statuses.
 *
 * Errors: MPI_Wait and MPI_Test return the error of a failed operation. The array forms that complete several
 * return MPI_ERR_IN_STATUS, with the class of each operation in its status' MPI_ERROR. Inactive and null
 * requests count as complete with an empty status.
 */
#ifndef REQUEST_COMPLETION_H
#define REQUEST_COMPLETION_H

#include <mpi.h>

int completion_wait(MPI_Request *request, MPI_Status *status);
int completion_test(MPI_Request *request, int *flag, MPI_Status *status);
int completion_waitany(int count, MPI_Request *requests, int *index, MPI_Status *status);
int completion_testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status);
int completion_waitall(int count, MPI_Request *requests, MPI_Status *statuses);
int completion_testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses);
int completion_waitsome(int count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses);
int completion_testsome(int count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses);
int completion_get_status(MPI_Request request, int *flag, MPI_Status *status);
int completion_get_status_any(int count, const MPI_Request *requests, int *index, int *flag,
                              MPI_Status *status);
int completion_get_status_all(int count, const MPI_Request *requests, int *flag, MPI_Status *statuses);
int completion_get_status_some(int count, const MPI_Request *requests, int *outcount, int *indices,
                               MPI_Status *statuses);
int completion_free(MPI_Request *request);

/* Body of MPI_Startall. Starts all requests or, on an error, none. What then keeps one from starting, as a lack of memory, is
 * the error of its operation, which a wait tells. */
int request_startall(int count, MPI_Request *requests);

#endif
