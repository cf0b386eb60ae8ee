/* win_conflict: accesses to a target that conflict. */
#ifndef INSIGHT_CHECKS_ACCESS_WIN_CONFLICT_H
#define INSIGHT_CHECKS_ACCESS_WIN_CONFLICT_H

#include "insight/call/intercept.h"
#include "insight/objects/win_record.h"

/* A number for an access that begins. */
uint64_t win_check_number(const struct win_record *w, int target);
/* Puts an access among the others, and says with which of them it conflicts. */
void win_check_add(struct intercept *call, struct win_record *w, int target, struct access *new);
/* This rank's accesses to a target, or with -1 to all, are complete at the target, or only those that fetch. Before the call that does so
 * tells others. */
void win_check_end(struct win_record *w, int target, bool only_fetching);

/* win_conflict.c: conflicts that the program may have avoided in a way that is not seen. */
/* Conflicts of a load that may have been told what it found: say those that nothing speaks against, when the window is freed; and forget
 * them. */
void win_doubt_tell(struct intercept *call, struct win_record *w);
void win_doubt_add(struct win_record *w, int target, const struct access *old, const struct access *new);

/* What MPI_MODE_NOPUT promises (MPI-5.0 section 12.5.5): the window of the rank that asserts it is not updated by puts or
 * accumulates until the next fence, or MPI_Win_wait.
 *
 * A rank says so before its fence, others may access the window before it does: both look. Of epochs of MPI_Win_post the rank
 * itself looks when it has waited; epochs of start and of post between two ranks go in pairs, so they are known by number.
 */

/* A fence begins the epoch w->turn. */
void win_assert_fence(struct intercept *call, const struct win_record *w);
/* Another epoch with these ranks of MPI_COMM_WORLD; NULL: not known. */
void win_assert_count(uint64_t *epochs, const int *ranks, int count);
/* This target is accessed in an epoch of MPI_Win_start. */
void win_assert_started(const struct win_record *w, int target, const struct access *a);
void win_assert_posted(const struct intercept *call, struct win_record *w);
void win_assert_waited(struct intercept *call, const struct win_record *w);

/* Memory of a window that calls read and write, which are no accesses to it. */

/* A call reads or writes this memory, which may be a window's; a send says so before the call, a receive after it. */
void win_check_local(struct intercept *call, const void *buffer, int64_t count, MPI_Datatype type,
                     bool is_written);
/* The request of an access that fetched is complete: a struct access on the board, 0 for none, and its serial. */
void win_check_fetched(uint64_t access, uint64_t serial);
/* The bytes of an access, as far as they are in few pieces. */
void win_local_parts(struct access *a, int64_t start, int64_t count, MPI_Datatype datatype);

#endif
