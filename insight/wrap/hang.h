/* hang: a deadlock is said, and the job ended, when ranks wait for each other and nothing moves.
 *
 * Each process has a watchdog thread. When a call has waited for a while it writes on the board whom it waits for: all of them, or
 * one of them. The first waiting rank then works out who can go on: who runs, and who waits for those that can. If others are
 * left, and were the same before, they never will.
 *
 * A rank that polls with MPI_Test, or is in no call, may yet go on by itself. When nothing has moved for five seconds where no deadlock
 * can be proved, the first rank that has not ended says what each of them does: a deadlock if all wait or poll, else a note. The job goes
 * on, and what was said is taken back once something moves.
 */
#ifndef INSIGHT_WRAP_HANG_H
#define INSIGHT_WRAP_HANG_H

void hang_start(void);
void hang_stop(void);
/* Without locks: waits until the watchdog that was stopped has ended. */
void hang_join(void);

#endif
