/* passive: passive target synchronization (MPI-5.0 section 12.5.3): locks (control.h), and completing operations.
 */
#ifndef WIN_PASSIVE_H
#define WIN_PASSIVE_H

#include "win/control.h"
#include "win/epoch.h"

/* Bodies of MPI_Win_X. */
int win_lock(int lock_type, int rank, int assert, struct win *win);
int win_unlock(int rank, struct win *win);
int win_lock_all(int assert, struct win *win);
int win_unlock_all(struct win *win);
int win_flush_all(struct win *win);
int win_flush_local(int rank, struct win *win);
int win_flush_local_all(struct win *win);
int win_sync(struct win *win);

/* MPI_Win_flush as `call`, for any kind of window. */
int passive_flush(struct win *win, int rank, const char *call);
/* Where there are no messages, stores are done once they are visible. */
static inline int win_flush(int rank, struct win *win)
{
    if ((unsigned)rank >= (unsigned)win->size || win->looks_around ||
        !(epoch_access(win, rank) & (ACCESS_SHARED | ACCESS_EXCLUSIVE)))
        return passive_flush(win, rank, "MPI_Win_flush");
    win_make_visible(win);
    return MPI_SUCCESS;
}

#endif
