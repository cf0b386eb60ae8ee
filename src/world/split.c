/* MPI_Comm_split, and the splitting behind MPI_Comm_split_type. */
#include "world/split.h"

#include "base/fail.h"
#include "coll/coll.h"
#include "world/make.h"

#include <stdlib.h>

/* What each rank tells the others. */
struct bid {
    int64_t color;
    int32_t key;
    int32_t rank;
};

/* Memory for one split, taken before the first message goes out. */
struct ballot {
    struct bid *bid; /* one per rank; later those of my color alone, in their new order */
    int *process;    /* their process numbers */
};

static void ballot_fini(struct ballot *b)
{
    free(b->bid);
    free(b->process);
}

static int ballot_init(struct ballot *b, int size)
{
    size_t n = (size_t)size;

    b->bid = calloc(n, sizeof *b->bid); /* a bid that does not arrive whole names rank 0 */
    b->process = malloc(n * sizeof *b->process);
    if (b->bid && b->process)
        return MPI_SUCCESS;
    ballot_fini(b);
    return fail(MPI_ERR_NO_MEM, "no memory to split a communicator of %d ranks", size);
}

static int compare_bids(const void *a, const void *b)
{
    const struct bid *left = a, *right = b;

    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

static int check_bids(const struct bid *bid, int size)
{
    for (int i = 0; i < size; i++)
        if (bid[i].color < SPLIT_NOWHERE)
            return fail((int)(SPLIT_REFUSED - bid[i].color), "rank %d gave an invalid argument", i);
    return MPI_SUCCESS;
}

/* Keeps the bids of one color and puts them in order. Returns how many, and my place. */
static int count_votes(struct ballot *b, const struct comm *comm, int64_t color, int *me)
{
    int count = 0;

    for (int i = 0; i < comm->size; i++)
        if (b->bid[i].color == color)
            b->bid[count++] = b->bid[i];
    qsort(b->bid, (size_t)count, sizeof *b->bid, compare_bids);
    for (int i = 0; i < count; i++) {
        b->process[i] = comm->process[b->bid[i].rank];
        if (b->bid[i].rank == comm->rank)
            *me = i;
    }
    return count;
}

static int prepare(struct comm *comm, const struct ballot *b, int count, struct info *info,
                   struct comm **made)
{
    struct group *group;
    int error = group_new_in(comm->session, count, b->process, &group);

    if (error)
        return error;
    error = make_prepare(comm, group, info, "MPI_Comm_split_type", made);
    group_unref(group);
    return error;
}

static int make_mine(struct comm *comm, struct ballot *b, int64_t color, int tag, struct info *info,
                     struct comm **newcomm)
{
    struct members members = {.parent = comm, .tag = tag, .process = b->process};
    struct comm *c = NULL;
    int error;

    if (color == SPLIT_NOWHERE) {
        *newcomm = NULL;
        return MPI_SUCCESS;
    }
    members.count = count_votes(b, comm, color, &members.me);
    error = prepare(comm, b, members.count, info, &c);
    return make(&members, c, error, newcomm);
}

int split(struct comm *comm, int64_t color, int key, struct info *info, struct comm **newcomm)
{
    struct bid mine = {.color = color, .key = key, .rank = comm->rank};
    struct ballot b;
    int error, tag;

    if (comm_is_inter(comm))
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "intercommunicators cannot be split yet");
    error = ballot_init(&b, comm->size);
    if (error)
        return error;
    error = coll_allgather_bytes(comm, &mine, b.bid, sizeof mine);
    tag = make_next_tag(comm);
    if (!error)
        error = check_bids(b.bid, comm->size);
    if (!error)
        error = make_mine(comm, &b, color, tag, info, newcomm);
    ballot_fini(&b);
    return error;
}

int64_t split_refusal(int error)
{
    return SPLIT_REFUSED - error;
}

int comm_split(struct comm *comm, int color, int key, struct comm **newcomm)
{
    struct comm *c;
    int error;

    if (color == MPI_UNDEFINED)
        return split(comm, SPLIT_NOWHERE, key, NULL, newcomm);
    if (color >= 0)
        return split(comm, color, key, NULL, newcomm);
    error = split(comm, split_refusal(MPI_ERR_ARG), key, NULL, &c);
    return error == MPI_ERR_ARG
               ? fail(MPI_ERR_ARG, "color %d is neither 0, positive nor MPI_UNDEFINED", color)
               : error;
}
