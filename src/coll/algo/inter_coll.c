#include "coll/algo/inter_coll.h"

#include "coll/algo/algorithm.h"

static void enter_local(struct schedule *s)
{
    const struct comm *comm = s->owner;

    schedule_enter(
        s, (struct schedule_team){.first = comm_whole_local(comm, 0), .size = comm->size, .me = comm->rank});
}

/* This process is not in it. */
static void enter_remote(struct schedule *s)
{
    const struct comm *comm = s->owner;

    schedule_enter(
        s, (struct schedule_team){.first = comm_whole_remote(comm, 0), .size = comm->remote->size, .me = -1});
}

static void bcast(struct schedule *s, struct coll_block b, int root)
{
    if (root == MPI_PROC_NULL)
        return;
    enter_remote(s);
    if (root == MPI_ROOT) {
        step_send(s, b, 0);
        return;
    }
    if (s->owner->rank == 0) {
        step_recv(s, b, root);
        step_wait(s);
    }
    enter_local(s);
    bcast_tree(s, b, 0);
}

int inter_coll_bcast(struct coll_block b, int root, struct comm *comm, enum form form,
                     struct request **request)
{
    struct schedule *s;
    int error = schedule_open(comm, form, NULL, &s);

    if (error)
        return error;
    bcast(s, b, root);
    return schedule_close(s, request);
}

int inter_coll_gather(struct coll_block mine, const struct places *places, int root, struct comm *comm,
                      enum form form, struct request **request)
{
    struct schedule *s;
    int error = schedule_open(comm, form, NULL, &s);

    if (error)
        return error;
    enter_remote(s);
    for (int r = 0; root == MPI_ROOT && r < s->size; r++)
        step_recv(s, place_of(places, r), r);
    if (root >= 0)
        step_send(s, mine, root);
    return schedule_close(s, request);
}

int inter_coll_scatter(const struct places *places, struct coll_block mine, int root, struct comm *comm,
                       enum form form, struct request **request)
{
    struct schedule *s;
    int error = schedule_open(comm, form, NULL, &s);

    if (error)
        return error;
    enter_remote(s);
    for (int r = 0; root == MPI_ROOT && r < s->size; r++)
        step_send(s, place_of(places, r), r);
    if (root >= 0)
        step_recv(s, mine, root);
    return schedule_close(s, request);
}

/* Both groups count upwards, so rounds cannot block each other: the pair of ranks with the smallest sum that
 * is left can always go on. */
int inter_coll_allgather(struct coll_block mine, const struct places *in, struct comm *comm, enum form form,
                         struct request **request)
{
    struct schedule *s;
    int error = schedule_open(comm, form, NULL, &s);

    if (error)
        return error;
    enter_remote(s);
    for (int r = 0; r < s->size; r++) {
        step_recv(s, place_of(in, r), r);
        step_send(s, mine, r);
    }
    return schedule_close(s, request);
}

int inter_coll_alltoall(const struct places *out, const struct places *in, struct comm *comm, enum form form,
                        struct request **request)
{
    struct schedule *s;
    int error = schedule_open(comm, form, NULL, &s);

    if (error)
        return error;
    enter_remote(s);
    for (int r = 0; r < s->size; r++) {
        step_recv(s, place_of(in, r), r);
        step_send(s, place_of(out, r), r);
    }
    return schedule_close(s, request);
}

/* What the local group has together: on its rank 0, in memory of the schedule. */
static struct coll_block combine_local(struct schedule *s, struct coll_block input)
{
    struct coll_block sum = {NULL, 0, input.type};

    enter_local(s);
    if (s->rank == 0)
        sum = schedule_scratch(s, input.count, input.type);
    reduce_tree(s, input, sum, 0);
    step_wait(s);
    return sum;
}

int inter_coll_reduce(struct coll_block input, struct coll_block result, struct op *op, int root,
                      struct comm *comm, enum form form, struct request **request)
{
    struct schedule *s;
    int error = root == MPI_PROC_NULL ? MPI_SUCCESS : op_check(op, input.type);

    if (!error)
        error = schedule_open(comm, form, op, &s);
    if (error)
        return error;
    if (root >= 0) {
        struct coll_block sum = combine_local(s, input);

        enter_remote(s);
        if (comm->rank == 0)
            step_send(s, sum, root);
    } else if (root == MPI_ROOT) {
        enter_remote(s);
        step_recv(s, result, 0);
    }
    return schedule_close(s, request);
}

int inter_coll_allreduce(struct coll_block input, struct coll_block result, struct op *op, struct comm *comm,
                         enum form form, struct request **request)
{
    struct coll_block sum;
    struct schedule *s;
    int error = op_check(op, input.type);

    if (!error)
        error = schedule_open(comm, form, op, &s);
    if (error)
        return error;
    sum = combine_local(s, input);
    if (comm->rank == 0) {
        enter_remote(s);
        step_exchange(s, sum, 0, result, 0);
        enter_local(s);
    }
    bcast_tree(s, result, 0);
    return schedule_close(s, request);
}

/* Rank 0 swaps with the other group's, and gives each rank of its own its piece. */
static void swap_and_scatter(struct schedule *s, struct coll_block sum, const struct places *pieces,
                             struct coll_block piece)
{
    struct coll_block theirs = schedule_scratch(s, sum.count, sum.type);
    struct places parts = places_in(pieces, theirs.at);

    enter_remote(s);
    step_exchange(s, sum, 0, theirs, 0);
    enter_local(s);
    for (int r = 1; r < s->size; r++)
        step_send(s, theirs.count ? place_of(&parts, r) : theirs, r);
    if (theirs.count)
        step_copy(s, place_of(&parts, 0), piece);
}

int inter_coll_reduce_scatter(const struct places *input, struct coll_block piece, struct op *op,
                              struct comm *comm, enum form form, struct request **request)
{
    struct coll_block all = {(void *)(uintptr_t)input->base, places_count(input, comm->size), input->type},
                      sum;
    struct schedule *s;
    int error = op_check(op, input->type);

    if (!error)
        error = schedule_open(comm, form, op, &s);
    if (error)
        return error;
    sum = combine_local(s, all);
    if (comm->rank == 0)
        swap_and_scatter(s, sum, input, piece);
    else
        step_recv(s, piece, 0);
    return schedule_close(s, request);
}
