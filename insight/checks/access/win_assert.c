#include "insight/checks/access/win_conflict.h"

#include "insight/board/board.h"
#include "insight/board/process_record.h"
#include "insight/findings/finding.h"

static bool updates(const struct access *a)
{
    return a->kind != ACCESS_NONE && !a->is_local && !win_access_reads(a);
}

static void say_updated(struct intercept *call, const struct access *a, struct call_place promise, int target)
{
    bool is_fence = a->fence;

    finding_add(&(struct finding_about){.class = FINDING_EPOCH,
                                        .call = call,
                                        .at = a->place,
                                        .rank = &a->origin,
                                        .other = promise,
                                        .role = is_fence ? "the fence" : "the post",
                                        .fix = "take MPI_MODE_NOPUT away"},
                "%s updates the window of rank %d, which has asserted MPI_MODE_NOPUT in %s",
                procedures[a->procedure].name, target, is_fence ? "MPI_Win_fence" : "MPI_Win_post");
}

void win_assert_access(struct intercept *call, const struct win_target *t, const struct access *a, int target)
{
    bool is_broken;
    struct call_place promise;

    if (!a->fence || !updates(a))
        return;
    board_lock();
    is_broken = t->no_put == a->fence;
    promise = t->no_put_at;
    board_unlock();
    if (is_broken)
        say_updated(call, a, promise, target);
}

void win_assert_fence(struct intercept *call, const struct win_record *w)
{
    struct win_target *t = win_check_target(w, w->comm.rank);
    struct access early = {.kind = ACCESS_NONE};
    struct call_place here = finding_place(call->site);

    if (!t || !(intercept_argument(call, AT_ASSERT) & MPI_MODE_NOPUT))
        return;
    board_lock();
    t->no_put = w->turn;
    t->no_put_at = here;
    for (int i = 0; i < ACCESSES && !early.kind; i++)
        if (t->access[i].fence == w->turn && updates(&t->access[i]))
            early = t->access[i];
    board_unlock();
    if (early.kind)
        say_updated(call, &early, here, w->comm.rank);
}

void win_assert_count(uint64_t *epochs, const int *ranks, int count)
{
    for (int i = 0; ranks && i < count; i++)
        if (ranks[i] >= 0 && ranks[i] < ORDER_RANKS)
            epochs[ranks[i]]++;
}

void win_assert_started(const struct win_record *w, int target, const struct access *a)
{
    struct win_target *t = win_check_target(w, target);

    if (!t || !updates(a))
        return;
    board_lock();
    t->started_put[process.rank] =
        (struct late_put){w->starts[comm_check_world(&w->comm, target)], a->procedure, a->place};
    board_unlock();
}

void win_assert_posted(const struct intercept *call, struct win_record *w)
{
    win_assert_count(w->posts, w->posted_to, w->posted_count);
    w->has_posted_no_put = intercept_argument(call, AT_ASSERT) & MPI_MODE_NOPUT;
    w->posted_at = call->site;
}

void win_assert_waited(struct intercept *call, const struct win_record *w)
{
    const struct win_target *t = win_check_target(w, w->comm.rank);

    for (int i = 0; t && w->has_posted_no_put && w->posted_to && i < w->posted_count; i++) {
        int from = w->posted_to[i];
        struct late_put put = {0};

        if (from < 0 || from >= ORDER_RANKS)
            continue;
        board_lock();
        put = t->started_put[from];
        board_unlock();
        if (put.epoch == w->posts[from])
            say_updated(call,
                        &(struct access){.origin = from, .procedure = put.procedure, .place = put.place},
                        finding_place(w->posted_at), w->comm.rank);
    }
}
