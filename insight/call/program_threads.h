/* program_threads: whether the program runs several threads at a call, which MPI_THREAD_SINGLE rules out (MPI-5.0 section 11.6).
 *
 * Libraries have threads of their own that never meet the program's: a BLAS, drivers of networks and devices, the MPI library. So
 * those count that the executable begins, itself or through the C++ library, until they end; and the team of an OpenMP region, only
 * for calls from within it.
 */
#ifndef INSIGHT_CALL_PROGRAM_THREADS_H
#define INSIGHT_CALL_PROGRAM_THREADS_H

#include <stdbool.h>

/* MPI has begun: whether there is OpenMP is known. */
void program_threads_open(void);
/* The caller is in an OpenMP region of several threads. */
bool program_threads_in_region(void);
/* Where the executable began a thread that has not ended; NULL: there is none. */
void *program_threads_begun_at(void);

#endif
