/* hang: a deadlock is said, and the job ended, when ranks wait for each other and nothing moves.
 *
 * Each process has a watchdog thread. When a call has waited for a while it writes on the board whom it waits for: all of them, or
 * one of them. The first waiting rank then works out who can go on: who runs, and who waits for those that can. If others are
 * left, and were the same before, they never will.
 */
#ifndef INSIGHT_HANG_H
#define INSIGHT_HANG_H

void hang_start(void);
void hang_stop(void);

#endif
