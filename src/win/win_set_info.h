/* win_set_info: hints of windows (MPI-5.0 section 12.2.7). Collective: rows that must be the same on all ranks
 * are agreed on. What a process has begun is complete at its targets before: hints say how elements are made atomic, and
 * an operation under way must not be carried out as new hints say while others go on as the old ones did. */
#ifndef WIN_WIN_SET_INFO_H
#define WIN_WIN_SET_INFO_H

#include "win/win.h"

/* Body of MPI_Win_set_info. */
int win_set_info(struct win *win, struct info *info);

#endif
