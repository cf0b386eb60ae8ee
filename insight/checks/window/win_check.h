/* win_check: accesses to windows that conflict (MPI-5.0 section 12.7), and what is left open.
 *
 * Each target has the last accesses to it on the board: bytes, kind, origin, interval (order_clock.h). A new access is compared with
 * those that overlap it. Between two ranks it conflicts unless they are ordered; of one rank, unless the earlier one has been
 * completed. Accumulates do not conflict with each other. Memory of the window that its rank sends from or receives into, by a call
 * that is complete when it returns, is accessed, too. Of loads and
 * stores of the program those are seen that have the first byte of a window's memory, as far as watchpoint.h has room, and some stores between
 * two fences (win_stores.h).
 */
#ifndef INSIGHT_WIN_CHECK_H
#define INSIGHT_WIN_CHECK_H

#endif
