/* control: the control block of a rank (struct win_control): the lock in it, waking who waits for one of its words, and the losses
 * that end such a wait.
 *
 * Each rank has a control block. An origin that maps it takes the lock alone; for others the target's agent does.
 *
 * Owners. `lock` belongs to nobody: compare-and-swap takes it, acquire, and a subtraction gives it back,
 * release. `waiters` is written by who waits, and taken by who gives the lock back: both store and then look at the other word
 * (sequentially consistent accesses, all four), so no waiter is missed.
 * A waiter sets its bit again after it has announced its sleep, since one that is woken before is not woken again.
 * `combiner` is the lock of accumulates (combiner.h), `completed` and `posted` are those of active.c.
 */
#ifndef WIN_CONTROL_H
#define WIN_CONTROL_H

#include "progress/progress.h"
#include "request/request.h"
#include "win/win.h"

enum {
    LOCK_SHARES = (1 << 30) - 1, /* bits: how many hold it shared */
    LOCK_WANTED = 1 << 30        /* bit: somebody waits for it alone, so nobody more may share it */
};
#define LOCK_HOLDER_SHIFT 32 /* above: the rank that holds it alone, plus 1 */

/* Takes the lock of a control block for `rank`, if it is free for that. */
bool control_try(struct win_control *control, int rank, bool is_exclusive);
/* Whether it is free for that; sequentially consistent. */
bool control_is_free(const struct win_control *control, bool is_exclusive);
/* Says that this rank waits for it, before it tries once more: who waits for it alone says so in the lock, so that
 * sharers do not follow each other for ever. */
void control_announce(struct win_control *control, int my_rank, bool is_exclusive);
/* Gives it back, and wakes who waits. */
void control_release(struct win *win, struct win_control *control, int rank, bool is_exclusive);

/* Wakes a rank whose control block is mapped, if it sleeps. Comes after the store to a word that it waits for. */
void control_wake(struct win *win, int rank);

/* Whether the window has processes that may be lost while this one goes on: those of other jobs and hosts. */
bool control_may_lose(const struct win *win);
/* A reason why the window's synchronization can go on no more: the loss of one of its processes. */
int control_check_lost(struct win *win);
/* Where the job survives deaths: whether a rank, or after a poll any, has died. */
int control_check_target(struct win *win, int rank);
int control_check_targets(struct win *win);
/* Something has failed, perhaps because a process is lost, as others have learned sooner: waits NET_LOSS_NS for that
 * news. Returns the loss, or `error`. */
int control_find_loss(struct win *win, int error);
/* The same after a poll, which finds losses: for who waits for a word of a control block without polling. */
int control_look_for_losses(struct win *win);
/* As request_wait, but ends with an error, which may leave the request as it is, when a process is lost. */
int control_await(struct win *win, struct request *r);
/* A round of a wait that ends with an error when a process is lost; what it is for is said as to progress_wait_for. */
int control_wait_while_all_live(struct win *win, struct wait *w, enum wait_kind kind, const void *what,
                                uint64_t detail);

#endif
