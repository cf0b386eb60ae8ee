/* win_assert: what MPI_MODE_NOPUT promises (MPI-5.0 section 12.5.5): the window of the rank that asserts it is not updated by puts or
 * accumulates until the next fence, or MPI_Win_wait.
 *
 * A rank says so before its fence, others may access the window before it does: both look. Of epochs of MPI_Win_post the rank
 * itself looks when it has waited; epochs of start and of post between two ranks go in pairs, so they are known by number.
 */
#ifndef INSIGHT_CHECKS_ACCESS_WIN_ASSERT_H
#define INSIGHT_CHECKS_ACCESS_WIN_ASSERT_H

#include "insight/objects/win_access.h"
#include "insight/objects/win_record.h"

/* A fence begins the epoch w->turn. */
void win_assert_fence(struct intercept *call, const struct win_record *w);
/* This target is accessed. */
void win_assert_access(struct intercept *call, const struct win_target *t, const struct access *a,
                       int target);
/* Another epoch with these ranks of MPI_COMM_WORLD; NULL: not known. */
void win_assert_count(uint64_t *epochs, const int *ranks, int count);
/* This target is accessed in an epoch of MPI_Win_start. */
void win_assert_started(const struct win_record *w, int target, const struct access *a);
void win_assert_posted(const struct intercept *call, struct win_record *w);
void win_assert_waited(struct intercept *call, const struct win_record *w);

#endif
