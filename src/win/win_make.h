/* win_make: making and freeing windows (MPI-5.0 section 12.2). Collective.
 *
 * A rank that cannot make its part reports that to the others, so a window is made on all ranks or on none. */
#ifndef WIN_WIN_MAKE_H
#define WIN_WIN_MAKE_H

#include "win/win.h"

/* Bodies of MPI_Win_X; *win and *(void **)baseptr are set on success. A NULL info offers nothing. */
int win_create(void *base, MPI_Aint size, MPI_Aint disp_unit, struct info *info, struct comm *comm,
               struct win **win);
int win_allocate(MPI_Aint size, MPI_Aint disp_unit, struct info *info, struct comm *comm, void *baseptr,
                 struct win **win);
int win_allocate_shared(MPI_Aint size, MPI_Aint disp_unit, struct info *info, struct comm *comm,
                        void *baseptr, struct win **win);
/* For the library itself: rank 0 alone gets memory, and hints from outside are not for it. */
int win_allocate_own(MPI_Aint size, MPI_Aint disp_unit, struct comm *comm, void *baseptr, struct win **win);
int win_create_dynamic(struct info *info, struct comm *comm, struct win **win);
int win_shared_query(struct win *win, int rank, MPI_Aint *size, MPI_Count *disp_unit, void *baseptr);
int win_free(struct win *win);

/* Hints of windows (MPI-5.0 section 12.2.7). Collective: rows that must be the same on all ranks
 * are agreed on. What a process has begun is complete at its targets before: hints say how elements are made atomic, and
 * an operation under way must not be carried out as new hints say while others go on as the old ones did. */

/* Body of MPI_Win_set_info. */
int win_set_info(struct win *win, struct info *info);

/* win_memory: where the memory of a new window lies, and how each rank reaches that of the others (win.h).
 *
 * Collective, if it does not say otherwise: a function takes part in exchanges on the window's communicator, and
 * fails on all ranks or on none.
 */

/* The address at which this process loads and stores what lies at `address` in a rank's memory. NULL: it cannot.
 * Not collective. */
void *win_memory_map(struct win *win, int rank, uint64_t address, size_t bytes);

/* Gives the window its segments and its control blocks. Fails where same_size or same_disp_unit is false. */
int win_memory_place(struct win *win);

/* What this process maps of others stays mapped when they end (not collective). Fails if one has ended. */
int win_memory_hold(struct win *win);
void win_memory_let_go(struct win *win);

/* Whether every rank reaches the memory of all others without messages. Sets win->lacks_mappings. */
int win_memory_is_reached(struct win *win, bool *is_reached);

#endif
