/* clock: CLOCK_MONOTONIC, which all processes of one host share; and the time of a core. */
#ifndef PLAIN_CLOCK_H
#define PLAIN_CLOCK_H

#include <stdint.h>

uint64_t clock_ns(void);        /* nanoseconds since an arbitrary fixed moment of this host */
uint64_t clock_thread_ns(void); /* nanoseconds that this thread has had a core */

#endif
