/* page_guard: watchpoints without hardware: pages that the program may not touch between two calls of MPI.
 *
 * The guards are *raised* when a call ends: their pages are protected. An access to one is a fault; its handler notes whether it meets a
 * watched byte, opens the page, lets the one instruction go on, by the processor's trap flag, and protects it again. So all bytes of a
 * buffer are watched, and everything else on its pages is slow, as long as the budget of time lasts. They are *lowered* when a
 * call begins: MPI never sees them.
 *
 * A system call may be given memory on such a page: the kernel would refuse it. So the kernel lets none of the thread pass while guards
 * are up (PR_SET_SYSCALL_USER_DISPATCH, Linux 5.11): the handler opens the pages first. Signals that have handlers wait meanwhile, since
 * the stack may be on such a page. Nobody else may need the pages: no other thread is there, but that of hang.h, whose faults
 * open them; and no other process, so Inkling's inkling_cma is off where there are guards, and other libraries have none.
 */
#ifndef INSIGHT_GUARD_PAGE_GUARD_H
#define INSIGHT_GUARD_PAGE_GUARD_H

#include "insight/guard/watchpoint.h"

extern volatile bool page_guard_is_up;
/* There is something to watch; owned by the checks' lock. */
extern bool page_guard_is_wanted;

/* Before MPI_Init: other processes shall not read the memory of this one. */
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

#endif
