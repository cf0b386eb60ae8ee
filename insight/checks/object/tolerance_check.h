/* tolerance_check: what the standard forbids or does not mention in a single call, and libraries accept all the same: the rows
 * of docs/TOLERANCES.md that can be seen in the arguments, and in what was called before. They are notes, which do not change the exit code. */
#ifndef INSIGHT_CHECKS_OBJECT_TOLERANCE_CHECK_H
#define INSIGHT_CHECKS_OBJECT_TOLERANCE_CHECK_H

#include "insight/call/intercept.h"

/* Before the call; the caller has the lock. */
void tolerance_check(struct intercept *call);
/* After a call that was no error: what is tolerated only then. */
void tolerance_check_after(struct intercept *call);

#endif
