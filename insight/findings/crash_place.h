/* crash_place: where the program was when a signal ended it (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT), for the board's last words.
 *
 * The handler notes the place on a stack of its own and lets the signal end the process as before. It is set only where the program, or
 * the runtime library of its language, has none.
 */
#ifndef INSIGHT_FINDINGS_CRASH_PLACE_H
#define INSIGHT_FINDINGS_CRASH_PLACE_H

#include <signal.h>
#include <stdbool.h>

enum {
    CRASH_STACK = 64 << 10
};

/* In MPI_Init, by the thread that calls it. */
void crash_place_open(void);
/* The handler of a signal is this one. */
bool crash_place_handles(const struct sigaction *action);
/* Gives the calling thread a stack for handlers, if it has none; false: it cannot, or that is too small. */
bool crash_place_has_stack(void);

#endif
