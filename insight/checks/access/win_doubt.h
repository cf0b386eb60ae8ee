/* win_doubt: conflicts that a program may have avoided in a way that is not seen. */
#ifndef INSIGHT_WIN_DOUBT_H
#define INSIGHT_WIN_DOUBT_H

#include "insight/objects/win_record.h"

/* Conflicts of a load that may have been told what it found: say those that nothing speaks against, when the window is freed; and forget
 * them. */
void win_doubt_tell(struct intercept *call, struct win_record *w);
void win_doubt_add(struct win_record *w, int target, const struct access *old, const struct access *new);

#endif
