/* win_report: reports what became of a window's hints (comm/make/hint_report.h). */
#ifndef WIN_WIN_REPORT_H
#define WIN_WIN_REPORT_H

#include "win/win.h"

/* is_final: the window is freed, or MPI ends. */
void win_report(struct win *win, bool is_final);

#endif
