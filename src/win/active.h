/* active: active target synchronization (MPI-5.0 sections 12.5.1 and 12.5.2).
 *
 * A fence is a barrier once everything that this process has started is complete at its targets. Post and
 * complete are empty messages on the window's communicator: each MPI_Win_post sends one to every origin, each
 * MPI_Win_complete one to every target. MPI_Win_start posts the receives, and the first access to a target
 * waits for its message, so it may be called before the target posts.
 */
#ifndef WIN_ACTIVE_H
#define WIN_ACTIVE_H

#include "win/win.h"

enum {
    WIN_TAG_POST = 1,
    WIN_TAG_COMPLETE = 2 /* further tags: agent.h */
};

/* Bodies of MPI_Win_X. */
int win_fence(int assert, struct win *win);
int win_post(struct group *group, int assert, struct win *win);
int win_start(struct group *group, int assert, struct win *win);
int win_complete(struct win *win);
int win_wait(struct win *win);
int win_test(struct win *win, int *flag);

/* Waits until this rank, a target of MPI_Win_start, has posted. */
int active_await_post(struct win *win, int rank);

#endif
