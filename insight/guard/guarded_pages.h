/* guarded_pages: the protection of pages, and the signals that come of it (page_guard.h). x86-64 and Linux only.
 *
 * The checks' own way back to the program uses the stack, which may be guarded. So they first forbid the program's code where it goes on: the
 * fault of that is when the pages are protected.
 *
 * `phase` says where the thread is: pages are open (DOWN), are being protected (RISING), or are protected and no system call passes (UP). */
#ifndef INSIGHT_GUARD_GUARDED_PAGES_H
#define INSIGHT_GUARD_GUARDED_PAGES_H

#include "insight/guard/watchpoint.h"

#include <stdint.h>

enum {
    PAGE = 4096
};

/* The kernel can stop system calls. */
bool guarded_pages_exist(void);
/* False: it cannot, or the program has handlers of its own for what it takes. Guards are for this thread. */
bool guarded_pages_open(void);
/* The pages of the next guards; joined when all are known. */
void guarded_pages_forget(void);
void guarded_pages_add(uintptr_t low, uintptr_t high, bool may_be_read);
void guarded_pages_join(void);
void guarded_pages_raise(uintptr_t site);
void guarded_pages_lower(void);
/* page_guard.c, in a signal handler: the program has touched a byte of these pages. */
void page_guard_touched(uintptr_t address, const struct watchpoint_hit *hit);
/* Likewise: the load at that place may be made again at once, since behind it a jump leads back. */
void page_guard_loops(const void *at);

#endif
