/* win_direct: loads and stores of the program in windows. */
#ifndef INSIGHT_CHECKS_WINDOW_WIN_DIRECT_H
#define INSIGHT_CHECKS_WINDOW_WIN_DIRECT_H

#include "insight/objects/win_record.h"

/* What the program has loaded from windows and stored there since the last call. */
void win_check_take_hits(struct intercept *call);
/* The window is freed. */
void win_check_detach_all(struct win_record *w);

#endif
