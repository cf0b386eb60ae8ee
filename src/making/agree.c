#include "coll/coll.h"
#include "hint/vote.h"
#include "making/make.h"
#include "p2p/p2p.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <stdlib.h>

static int rank_at(const struct agreement *a, int position)
{
    return a->process ? group_rank_of(a->comm->group, a->process[position]) : position;
}

/* The i-th child of this position in the binomial tree is me + 2^i. */
static int count_children(const struct agreement *a)
{
    int n = 0;

    while (((int64_t)1 << n) < a->count && !(a->me >> n & 1) && a->me + ((int64_t)1 << n) < a->count)
        n++;
    return n;
}

static int child_at(const struct agreement *a, int i)
{
    return a->me + (1 << i);
}

static int agree_parent_of(const struct agreement *a)
{
    return a->me & (a->me - 1);
}

static void agree_note(struct agreement *a, int error)
{
    if (error && !a->error)
        a->error = error;
}

static bool post_send(struct agreement *a, int position)
{
    int error = p2p_isend(&a->verdict, sizeof a->verdict, datatype_predefined(MPI_BYTE), rank_at(a, position),
                          a->tag, a->comm, PLANE_COLL, SEND_STANDARD, &a->request[a->pending]);

    a->pending += !error;
    agree_note(a, error);
    return !error;
}

static void agree_post_recv(struct agreement *a, struct verdict *into, int position)
{
    int error = p2p_irecv(into, sizeof *into, datatype_predefined(MPI_BYTE), rank_at(a, position), a->tag,
                          a->comm, PLANE_COLL, &a->request[a->pending]);

    a->pending += !error;
    agree_note(a, error);
}

static void agree_combine(struct verdict *v, const struct verdict *other)
{
    v->context |= other->context;
    vote_add(&v->vote, &other->vote);
    v->lanes = v->lanes < other->lanes ? v->lanes : other->lanes;
    v->overtaking &= other->overtaking;
    v->ordered |= other->ordered;
    if (!v->error) {
        v->error = other->error;
        v->culprit = other->culprit;
    }
}

/* Whether nothing is in flight any more; keeps errors. */
static bool all_arrived(struct agreement *a)
{
    for (; a->pending; a->pending--) {
        struct request *r = a->request[a->pending - 1];

        if (!request_is_done(r))
            return false;
        agree_note(a, request_wait(r)); /* done: gives the error and its note */
        request_unref(r);
    }
    return true;
}

/* If this rank cannot receive from another, that is an error of all members. */
static void note_for_all(struct agreement *a)
{
    if (a->error && !a->verdict.error) {
        a->verdict.error = a->error;
        a->verdict.culprit = a->comm->rank;
    }
}

static void agree_send_down(struct agreement *a)
{
    a->step = AGREE_DOWN;
    for (int i = a->children; i-- > 0;) /* the largest subtree first */
        post_send(a, child_at(a, i));
}

/* Called when the children's verdicts have arrived. */
static void agree_ask(struct agreement *a)
{
    for (int i = 0; i < a->children; i++)
        agree_combine(&a->verdict, &a->heard[i]);
    note_for_all(a);
    if (a->me == 0) {
        agree_send_down(a);
        return;
    }
    a->step = AGREE_ASK;
    agree_post_recv(a, &a->heard[0], agree_parent_of(a));
    note_for_all(a); /* who cannot hear the answer would not know that all have agreed */
    if (!post_send(a, agree_parent_of(a)) && a->pending) /* without a report there is no answer */
        p2p_cancel_recv(a->request[0]);
}

void agree_start(struct agreement *a)
{
    a->step = AGREE_GATHER;
    a->error = MPI_SUCCESS;
    a->pending = 0;
    a->children = count_children(a);
    for (int i = 0; i < a->children; i++) {
        a->heard[i] = (struct verdict){0}; /* empty, in case none arrives */
        agree_post_recv(a, &a->heard[i], child_at(a, i));
    }
}

bool agree_poll(struct agreement *a)
{
    while (a->step != AGREE_DONE && all_arrived(a))
        switch (a->step) {
        case AGREE_GATHER:
            agree_ask(a);
            break;
        case AGREE_ASK:
            if (!a->error)
                a->verdict = a->heard[0];
            note_for_all(a);
            agree_send_down(a);
            break;
        default:
            a->step = AGREE_DONE;
        }
    return a->step == AGREE_DONE;
}

int agree(struct agreement *a)
{
    struct wait w = WAIT_START;

    agree_start(a);
    while (!agree_poll(a))
        progress_wait_for(&w, WAIT_AGREEMENT, a, 0);
    return a->error;
}

/* The least of each row's values and of their complements: they are complements of each other where all ranks
 * have one value. */
struct row_range {
    int64_t least, complement;
};

static int find_ranges(struct comm *comm, const struct hints *hints, struct row_range range[HINT_COUNT + 1],
                       int *rows, int64_t *most)
{
    int error;

    *rows = 0;
    for (int id = hint_agreed_from(hints, 0); id < HINT_COUNT; id = hint_agreed_from(hints, id + 1)) {
        int64_t value = hint_value(hints, (enum hint_id)id);

        range[(*rows)++] = (struct row_range){value, ~value};
    }
    range[*rows].least = most ? ~*most : 0;
    error = coll_allreduce(MPI_IN_PLACE, range, 2 * *rows + (most != NULL), datatype_predefined(MPI_INT64_T),
                           &op_predefined[OP_MIN], comm, FORM_BLOCKING, NULL, NULL);
    if (!error && most)
        *most = ~range[*rows].least;
    return error;
}

/* Ranks disagree about some row: all look at the votes of all. */
static int settle_hints(struct comm *comm, struct hints *hints)
{
    struct vote_rows mine = vote_rows_of(hints, comm->rank), *all = calloc((size_t)comm->size, sizeof *all);
    uint64_t has_room = all != NULL;
    int error = coll_agree(comm, &has_room, NULL);

    if (!error && !has_room)
        error = fail(MPI_ERR_NO_MEM, "a rank has no memory for the hints of %d ranks", comm->size);
    if (!error)
        error = coll_allgather_bytes(comm, &mine, all, sizeof mine);
    for (int r = 1; !error && r < comm->size; r++)
        vote_rows_add(&all[0], &all[r]);
    if (!error)
        vote_rows_settle(&all[0], hints, comm->rank);
    free(all);
    return error;
}

int agree_hints(struct comm *comm, struct hints *hints, int64_t *most)
{
    struct row_range range[HINT_COUNT + 1];
    int rows, error = find_ranges(comm, hints, range, &rows, most);

    for (int i = 0; i < rows && !error; i++)
        if (range[i].least != ~range[i].complement)
            return settle_hints(comm, hints);
    return error;
}
