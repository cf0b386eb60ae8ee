/* program_site: where the program goes on after a call, also where a Fortran binding, or Python, has made it.
 *
 * A call of Fortran's comes from a library of bindings: the program is further up the stack, behind a frame or two of it. What that
 * library does besides by PMPI_ names is not the program's.
 *
 * The place of a call from Python is a line of the script: it gets an address of its own, which no code is at, so that all others
 * can keep and compare it as they do addresses of code.
 */
#ifndef INSIGHT_CALL_PROGRAM_SITE_H
#define INSIGHT_CALL_PROGRAM_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the library of bindings, if the program has it. */
void program_site_open(void);
/* How many of those between the program and this library there are: none in most processes. */
extern int program_site_libraries;
/* The address is one of the bindings. */
bool program_site_is_binding(const void *address);
/* Whether it lies in a library for programs of another MPI library, which are in any language. */
bool program_site_is_foreign(const void *address);
/* Where the program has called the bindings that go on there; `site` itself if nothing is known. */
void *program_site_find(void *site);
/* The place in Python that this thread is at, if it is; else `site`. */
void *program_site_find_script(void *site);
bool program_site_is_script(const void *address);
/* A compiled module makes the call while the script's line imports it. */
bool program_site_is_importing(const void *address);
/* The module of the address, as a path, and the offset in it, as plain/source_place.h has them. False: unknown. */
bool program_site_locate(const void *address, char *path, size_t room, uint64_t *offset);

/* Whether the program runs several threads at a call, which MPI_THREAD_SINGLE rules out (MPI-5.0 section 11.6).
 *
 * Libraries have threads of their own that never meet the program's: a BLAS, drivers of networks and devices, the MPI library. So
 * those count that the executable begins, itself or through the C++ library, until they end; and the team of an OpenMP region, only
 * for calls from within it.
 */

/* MPI has begun: whether there is OpenMP is known. */
void program_threads_open(void);
/* False: none of the two below, which need not be asked. */
bool program_threads_may_be(void);
/* The caller is in an OpenMP region of several threads. */
bool program_threads_in_region(void);
/* Where the executable began a thread that has not ended; NULL: there is none. */
void *program_threads_begun_at(void);

#endif
