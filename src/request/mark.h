/* mark: where the program has called for a request, as told by what lies between the two (plain/posted.h). */
#ifndef REQUEST_MARK_H
#define REQUEST_MARK_H

#include <stdint.h>

/* The program has called for the request of this handle, or started it, from there. Any value is safe. Returns what
 * MPI_Request_toint does; 0: there is no such request. */
int request_mark(uint64_t handle, const void *caller);

#endif
