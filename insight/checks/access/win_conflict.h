/* win_conflict: accesses to a target that conflict. */
#ifndef INSIGHT_CHECKS_ACCESS_WIN_CONFLICT_H
#define INSIGHT_CHECKS_ACCESS_WIN_CONFLICT_H

#include "insight/objects/win_record.h"

/* A number for an access that begins. */
uint64_t win_check_number(const struct win_record *w, int target);
/* Puts an access among the others, and says with which of them it conflicts. */
void win_check_add(struct intercept *call, struct win_record *w, int target, struct access *new);
void win_check_say(struct intercept *call, const struct win_record *w, int target, const struct access *old,
                   const struct access *new);
/* This rank's accesses to a target, or with -1 to all, are complete at the target, or only those that fetch. Before the call that does so
 * tells others. */
void win_check_end(struct win_record *w, int target, bool only_fetching);

/* win_doubt.c: conflicts that the program may have avoided in a way that is not seen. */
/* Conflicts of a load that may have been told what it found: say those that nothing speaks against, when the window is freed; and forget
 * them. */
void win_doubt_tell(struct intercept *call, struct win_record *w);
void win_doubt_add(struct win_record *w, int target, const struct access *old, const struct access *new);

#endif
