#include "making/make.h"

#include "coll/coll.h"
#include "plain/fail.h"

#include <stdlib.h>

/* What each rank sends the others. */
struct bid {
    int64_t color;
    int32_t key;
    int32_t rank; /* in the whole of the communicator */
};

/* Memory for one split, allocated before the first message is sent. */
struct ballot {
    struct comm *comm, *whole;
    int first_size;  /* ranks of the first group; those of the second follow */
    struct bid *bid; /* one per rank; later only those of this rank's color, in their new order */
    int *process;    /* their process numbers */
    int count, me;   /* their number, and this rank's position */
    int first_count; /* number of those of the first group */
};

void split_release(struct ballot *b)
{
    if (!b)
        return;
    free(b->bid);
    free(b->process);
    free(b);
}

int split_reserve(struct comm *comm, struct ballot **ballot)
{
    struct comm *whole = comm_whole(comm);
    size_t n = (size_t)whole->size;
    struct ballot *b = malloc(sizeof *b);

    if (b) {
        *b = (struct ballot){.comm = comm, .whole = whole, .first_size = whole->size};
        if (comm_is_inter(comm))
            b->first_size = comm_is_first(comm) ? comm->size : comm->remote->size;
        b->bid = calloc(n, sizeof *b->bid); /* a bid that does not arrive completely names rank 0 */
        b->process = malloc(n * sizeof *b->process);
    }
    if (!b || !b->bid || !b->process) {
        split_release(b);
        return fail(MPI_ERR_NO_MEM, "no memory to split a communicator of %d ranks", whole->size);
    }
    *ballot = b;
    return MPI_SUCCESS;
}

static int compare_bids(const void *a, const void *b)
{
    const struct bid *left = a, *right = b;

    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

static int check_bids(const struct ballot *b)
{
    for (int i = 0; i < b->whole->size; i++)
        if (b->bid[i].color < SPLIT_NOWHERE)
            return fail((int)(SPLIT_REFUSED - b->bid[i].color), "rank %d gave an invalid argument", i);
    return MPI_SUCCESS;
}

/* Keeps the bids of one color, and sorts those of each group. */
static void split_count_votes(struct ballot *b, int64_t color)
{
    for (int i = 0; i < b->whole->size; i++) {
        if (b->bid[i].color == color)
            b->bid[b->count++] = b->bid[i];
        if (i == b->first_size - 1)
            b->first_count = b->count;
    }
    qsort(b->bid, (size_t)b->first_count, sizeof *b->bid, compare_bids);
    qsort(b->bid + b->first_count, (size_t)(b->count - b->first_count), sizeof *b->bid, compare_bids);
    for (int i = 0; i < b->count; i++) {
        b->process[i] = b->whole->process[b->bid[i].rank];
        if (b->bid[i].rank == b->whole->rank)
            b->me = i;
    }
}

static int split_prepare(struct comm *comm, const struct ballot *b, struct info *info, const char *call,
                         struct comm **made)
{
    struct group *group;
    int error = group_new_in(comm->session, b->count, b->process, &group);

    if (error)
        return error;
    error = make_prepare(comm, group, info, call, made);
    group_unref(group);
    return error;
}

static int prepare_inter(struct comm *comm, const struct ballot *b, struct info *info, const char *call,
                         struct comm **made)
{
    bool is_first = comm_is_first(comm);
    struct group *first, *second;
    int error = group_new_in(comm->session, b->first_count, b->process, &first);

    if (error)
        return error;
    error = group_new_in(comm->session, b->count - b->first_count, b->process + b->first_count, &second);
    if (!error) {
        error = make_prepare_inter(comm, is_first ? first : second, is_first ? second : first, is_first, info,
                                   call, made);
        group_unref(second);
    }
    group_unref(first);
    return error;
}

static int make_mine(struct ballot *b, int64_t color, int tag, struct info *info, const char *call,
                     struct comm **newcomm)
{
    struct comm *comm = b->comm;
    struct members members = {.parent = b->whole, .tag = tag, .process = b->process};
    struct comm *c = NULL;
    int error;

    split_count_votes(b, color);
    if (color == SPLIT_NOWHERE ||
        (comm_is_inter(comm) && (b->first_count == 0 || b->first_count == b->count))) {
        *newcomm = NULL;
        return MPI_SUCCESS;
    }
    members.count = b->count;
    members.me = b->me;
    error =
        comm_is_inter(comm) ? prepare_inter(comm, b, info, call, &c) : split_prepare(comm, b, info, call, &c);
    return make(&members, c, error, newcomm);
}

int split_into(struct ballot *b, int64_t color, int key, struct info *info, const char *call,
               struct comm **newcomm)
{
    struct bid mine = {.color = color, .key = key, .rank = b->whole->rank};
    int error = coll_allgather_bytes(b->whole, &mine, b->bid, sizeof mine);
    int tag = make_next_tag(b->whole);

    if (!error)
        error = check_bids(b);
    if (!error)
        error = make_mine(b, color, tag, info, call, newcomm);
    split_release(b);
    return error;
}

int split(struct comm *comm, int64_t color, int key, struct info *info, const char *call,
          struct comm **newcomm)
{
    struct ballot *ballot = NULL;
    int error = split_reserve(comm, &ballot), failed;
    uint64_t lacks = error != MPI_SUCCESS;

    failed =
        coll_agree(comm_whole(comm), NULL, &lacks); /* who has no memory cannot take part in what follows */
    if (!error)
        error = failed;
    if (!error && lacks)
        error = fail(MPI_ERR_NO_MEM, "another rank has no memory to split the communicator");
    if (!error)
        return split_into(ballot, color, key, info, call, newcomm);
    split_release(ballot);
    return error;
}

int64_t split_refusal(int error)
{
    return SPLIT_REFUSED - error;
}
