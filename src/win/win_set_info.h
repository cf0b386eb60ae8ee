/* win_set_info: hints of windows (MPI-5.0 section 12.2.7). Collective: rows that must be the same on all ranks
 * are agreed on. A process first completes at its targets what it has begun: hints say how elements are made atomic, and
 * an operation under way must not follow the new hints while others still follow the old ones. */
#ifndef WIN_WIN_SET_INFO_H
#define WIN_WIN_SET_INFO_H

#include "win/win.h"

/* Body of MPI_Win_set_info. */
int win_set_info(struct win *win, struct info *info);

#endif
