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
/* The same for the library itself: hints from outside are not for it. */
int win_allocate_own(MPI_Aint size, MPI_Aint disp_unit, struct comm *comm, void *baseptr, struct win **win);
int win_create_dynamic(struct info *info, struct comm *comm, struct win **win);
int win_shared_query(struct win *win, int rank, MPI_Aint *size, MPI_Count *disp_unit, void *baseptr);
int win_free(struct win *win);

/* Hints of windows (MPI-5.0 section 12.2.7). Collective: rows that must be the same on all ranks
 * are agreed on. What a process has begun is complete at its targets before: hints say how elements are made atomic, and
 * an operation under way must not be carried out as new hints say while others go on as the old ones did. */

/* Body of MPI_Win_set_info. */
int win_set_info(struct win *win, struct info *info);

#endif
