/* posted: where the program has posted a request, for inkling where.
 *
 * The library marks a request with the address that the call returns to. Where a binding of another language or ABI, or a library
 * between them, has made that call, the address lies in there. So it marks the request once more, with what its own call returns to.
 * The function for that is found through the table of inkling where (where_table.h): it has no name that leaves the library, and over
 * another library with the ABI there is none.
 */
#ifndef PLAIN_POSTED_H
#define PLAIN_POSTED_H

#include <stdint.h>

/* The program has called for the request of this handle, or started it, from there. Any value is safe. Returns what
 * MPI_Request_toint does; 0: there is no such request, or nobody to tell. */
extern int (*posted_mark)(uint64_t request, const void *caller);

/* Once, before the first request, when the library is loaded. */
void posted_find(void);

#endif
