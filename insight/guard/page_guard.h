/* page_guard: watchpoints without hardware: pages that the program may not touch between two calls of MPI.
 *
 * The guards are *raised* when a call ends: their pages are protected. An access to one is a fault; its handler notes whether it meets a
 * watched byte, opens the page, lets the one instruction go on, by the processor's trap flag, and protects it again. So all bytes of a
 * buffer are watched, and everything else on its pages is slow, as long as the budget of time lasts. They are *lowered* when a
 * call begins: MPI never sees them.
 *
 * A system call may be given memory on such a page: the kernel would refuse it. So the kernel lets none of the thread pass while guards
 * are up (PR_SET_SYSCALL_USER_DISPATCH, Linux 5.11): the handler opens the pages first. Signals that have handlers wait meanwhile, since
 * the stack may be on such a page. Nobody else may need the pages: no other thread is there, but that of hang.c, whose faults
 * open them. Other processes only read what is sent, which stays readable (WATCH_STORES), by inkling_cma=messages; if it lies on a
 * page that is not, their read fails, and the sender sends it. Other libraries would write there, too, and have no guards.
 */
#ifndef INSIGHT_GUARD_PAGE_GUARD_H
#define INSIGHT_GUARD_PAGE_GUARD_H

#include "insight/guard/watchpoint.h"

#include <stdbool.h>
#include <stdint.h>

extern volatile bool page_guard_is_up;
/* There is something to watch; owned by the checks' lock. */
extern bool page_guard_is_wanted;

/* Before MPI_Init: other processes shall read from this one's memory nothing but messages. */
void page_guard_open(void);
/* As those of watchpoint.h. */
bool page_guard_is_left(void);
int page_guard_set(const void *address, size_t length, enum watchpoint_kind kind);
void page_guard_add(int guard, const void *address, size_t length);
void page_guard_clear(int guard);
bool page_guard_take(int guard, struct watchpoint_hit *hit);
/* A call has ended, and the program goes on there; or one begins. */
void page_guard_raise(const void *site);
void page_guard_lower(void);

/* guarded_pages: the protection of pages, and the signals that come of it (page_guard.h). x86-64 and Linux only.
 *
 * The checks' own way back to the program uses the stack, which may be guarded. So they first forbid the program's code where it goes on: the
 * fault of that is when the pages are protected.
 *
 * `phase` says where the thread is: pages are open (DOWN), are being protected (RISING), or are protected and no system call passes (UP). */

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

/* guard_memory: which memory page_guard.h may protect, and which code is the program's. */

/* One mapping, which the program may read and write, has all of it, and the thread's own data is not there: the kernel writes to that. */
bool guard_memory_is_plain(uintptr_t low, uintptr_t high);
/* Reads which code is the program's, and where the stack of this thread lies. */
void guard_memory_read(void);
/* Of Fortran's library, which reads and writes what the program gives it. */
bool guard_memory_is_runtime(uintptr_t address);
bool guard_memory_is_stack(uintptr_t address);
/* Neither of the C library nor of MPI. Safe in signal handlers. */
bool guard_memory_is_program(uintptr_t address);

#endif
