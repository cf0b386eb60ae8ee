/* partners: the ranks that an epoch of MPI_Win_start or MPI_Win_post is with, and how they tell each other of its beginning and
 * end (active.h).
 */
#ifndef WIN_PARTNERS_H
#define WIN_PARTNERS_H

#include "win/win.h"

enum {
    WIN_TAG_POST = 1,
    WIN_TAG_COMPLETE = 2 /* further tags: agent.h */
};

/* A rank that an epoch of MPI_Win_start or MPI_Win_post is with. */
struct epoch_partner {
    int rank; /* in the window */
    bool
        is_awaited; /* of MPI_Win_start: no thread waits for its post yet. Under win->lock once it is started */
    struct request *expect; /* its empty message; NULL: it has come, or none will */
};

struct partners {
    int count;
    bool is_unchecked; /* MPI_MODE_NOCHECK: neither side tells the other that it has posted */
    struct epoch_partner partner[];
};

/* The members of `group`, which all must be in the window. */
int partners_new(struct win *win, struct group *group, int assert, struct partners **partners);
/* A message that is still expected, after an error, is the next epoch's. */
void partners_free(struct partners *p);

/* Prepares for what each of them will tell: WIN_TAG_POST or WIN_TAG_COMPLETE. */
int partners_expect(struct win *win, struct partners *p, int tag);
/* Tells each. What this process has done in its memory and its partners' comes before. */
int partners_tell(struct win *win, const struct partners *p, int tag);
/* Of MPI_Win_start: gives access to each. Partners that have nothing to tell are open at once. */
void partners_open(struct win *win, const struct partners *p);

/* Waits until this rank, a target of MPI_Win_start, has posted; until all have. */
int partners_await_post(struct win *win, int rank);
int partners_await_posts(struct win *win, struct partners *p);
/* Of MPI_Win_post: waits until all have completed; whether they have. */
int partners_await_completes(struct win *win, struct partners *p);
bool partners_have_completed(struct win *win, const struct partners *p);

#endif
