/* What C reads or writes until a request completes: arrays of datatypes, and copies of array sections with gaps.
 *
 * They are kept by the request's integer, and freed by the procedure that makes its handle MPI_REQUEST_NULL: the generated code of
 * each takes kept_mark before the call and requests_out behind it. If that was C, they are freed with the next request that has
 * the same integer.
 *
 * A copy goes back into its section when a procedure of Fortran finds the operation complete, once for each start of a persistent
 * one, for which MPI_Start takes the copy again. Only C could tell that C has completed a request, and the standard's ABI has
 * nothing by which it would: a request with such copies is to be completed in Fortran. */
#ifndef FORTRAN_KEPT_H
#define FORTRAN_KEPT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The first member of what is kept, which is one block of malloc. */
struct kept {
    struct kept *next;
    uint64_t number; /* of the call of kept_add */
    int request;
    bool is_copy; /* a struct section_copy */
};

/* How many things are kept. A reader needs no order: whoever completes a request has its handle from the call that kept for it,
 * so sees at least what that call wrote. */
extern _Atomic uint64_t kept_count;
static inline bool kept_any(void)
{
    return atomic_load_explicit(&kept_count, memory_order_relaxed) != 0;
}

void kept_add(struct kept *kept, int request);
/* Tells what is kept now from what other threads keep while the call runs, for a new request with the handle that the call has
 * given back. 0: nothing is kept. */
uint64_t kept_mark(void);
/* The request has completed, and its handle is gone: puts copies back, frees. */
void kept_complete(int request, uint64_t mark);
/* The same for a request whose handle stays, if it has completed; frees nothing. */
void kept_look(const int *request, int64_t count);
/* The requests are about to start: takes the copies of their sections. */
void kept_start(const int *request, int64_t count);

/* Partitions of a partitioned send are ready; one of a receive has arrived. */
void kept_ready(int request, int64_t low, int64_t high);
void kept_arrived(int request, int64_t partition);

/* A new request: what is kept under its integer is left over from one that C has completed. */
void kept_drop(int request);
static inline int kept_new(int request)
{
    if (kept_any())
        kept_drop(request);
    return request;
}

#endif
