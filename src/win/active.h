/* active: active target synchronization (MPI-5.0 sections 12.5.1 and 12.5.2).
 *
 * A fence is a barrier once everything that this process has started is complete at its targets. MPI_Win_post
 * notifies every origin, MPI_Win_complete every target. MPI_Win_start does not wait: the first access to a target
 * waits until the target has posted.
 *
 * Where all accesses are loads, stores or copies of the origin (the window has no agent) and there are at most
 * CONTROL_POSTS ranks, notifications are words of the control blocks, else empty messages on the window's
 * communicator. These words do not show whether a rank waits, so the writer wakes it if it sleeps.
 *
 * `posted` of an origin: bit r is set by rank r in MPI_Win_post, release, and cleared by the origin once it has seen
 * it, acquire. A target posts to the same origin again only after the origin has completed, and so has cleared it;
 * the clear comes before the release in the origin's MPI_Win_complete, so it need not order anything.
 *
 * `completed` of a target: each origin adds 1 in MPI_Win_complete, release. The target reads it, acquire. Only the
 * target knows how much of it belongs to earlier epochs (win->completed). An origin completes only after the target has
 * posted to it (MPI_MODE_NOCHECK: the program ensures that), so all that comes after an epoch's MPI_Win_post and
 * before the end of its MPI_Win_wait belongs to this epoch.
 */
#ifndef WIN_ACTIVE_H
#define WIN_ACTIVE_H

#include "win/win.h"

/* Bodies of MPI_Win_X. */
int win_fence(int assert, struct win *win);
int win_post(struct group *group, int assert, struct win *win);
int win_start(struct group *group, int assert, struct win *win);
int win_complete(struct win *win);
int win_wait(struct win *win);
int win_test(struct win *win, int *flag);

#endif
