#include "coll/algo/algorithm.h"

void inter_enter_local(struct schedule *s)
{
    const struct comm *comm = s->owner;

    schedule_enter(
        s, (struct schedule_team){.first = comm_whole_local(comm, 0), .size = comm->size, .me = comm->rank});
}

/* This process is not in it. */
void inter_enter_remote(struct schedule *s)
{
    const struct comm *comm = s->owner;

    schedule_enter(
        s, (struct schedule_team){.first = comm_whole_remote(comm, 0), .size = comm->remote->size, .me = -1});
}

/* What the local group has together: on its rank 0, in memory of the schedule. */
struct coll_block inter_combine_local(struct schedule *s, struct coll_block input)
{
    struct coll_block sum = {NULL, 0, input.type};

    inter_enter_local(s);
    if (s->rank == 0)
        sum = schedule_scratch(s, input.count, input.type);
    tree_reduce(s, input, sum, 0);
    schedule_wait(s);
    return sum;
}
