/* win_stores: what the program stores in a window between two fences, where others access it (MPI-5.0 section 12.7).
 *
 * The memory of a small window is kept after a fence and compared before the next. Bytes that have changed and that nobody put there were stored by
 * the program; also where a put of other bytes had not come yet, or was overwritten. Looked at only where this rank calls nothing between the two fences,
 * so that nothing orders the store and the access. Besides, loads and stores of the first byte that watchpoint.h has seen.
 */
#ifndef INSIGHT_CHECKS_WINDOW_WIN_STORES_H
#define INSIGHT_CHECKS_WINDOW_WIN_STORES_H

#include "insight/call/intercept.h"
#include "insight/objects/win_record.h"

/* Which bytes have changed since the last fence. */
void win_stores_before_fence(struct win_record *w);
/* All accesses of the epoch that it ends are on the board: says which of them conflict with stores. Then keeps the memory. */
void win_stores_after_fence(struct intercept *call, struct win_record *w);
/* What a small put without gaps gives. */
struct access;
void win_stores_fill_given(const struct intercept *call, struct access *a);
void win_stores_forget(struct win_record *w);

/* Loads and stores of the program in windows. */
/* What the program has loaded from windows and stored there since the last call. */
void win_check_take_hits(struct intercept *call);
/* The window is freed. */
void win_check_detach_all(struct win_record *w);

#endif
