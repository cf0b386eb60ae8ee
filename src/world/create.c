/* MPI_Comm_create and MPI_Comm_create_group: the members know each other already. */
#include "base/fail.h"
#include "world/make.h"

#include <limits.h>

static int check_subset(const struct comm *comm, const struct group *group)
{
    for (int i = 0; i < group->size; i++)
        if (group_rank_of(comm->group, group->process[i]) == MPI_UNDEFINED)
            return fail(MPI_ERR_GROUP, "the group's rank %d is not in the communicator", i);
    return MPI_SUCCESS;
}

static int create(struct comm *comm, struct group *group, int tag, struct comm **newcomm)
{
    struct members members = {
        .parent = comm, .tag = tag, .count = group->size, .me = group->rank, .process = group->process};
    struct comm *c = NULL;
    int error;

    if (comm_is_inter(comm))
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "this is not written yet for intercommunicators");
    error = check_subset(comm, group);
    if (error)
        return error;
    if (group->rank == MPI_UNDEFINED) {
        *newcomm = NULL;
        return MPI_SUCCESS;
    }
    error = make_prepare(comm, group, NULL, NULL, &c);
    return make(&members, c, error, newcomm);
}

int comm_create(struct comm *comm, struct group *group, struct comm **newcomm)
{
    return create(comm, group, make_next_tag(comm), newcomm);
}

/* The program's tag as one that no collective has: those are 0 and above. MPI_ANY_TAG (-2) must not come
 * out, so one tag goes to the number that the collectives reach last. */
static int tag_for_group(int tag)
{
    int mapped = INT_MIN + tag;

    return mapped == MPI_ANY_TAG ? INT_MAX : mapped;
}

int comm_create_group(struct comm *comm, struct group *group, int tag, struct comm **newcomm)
{
    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "MPI_Comm_create_group takes an intracommunicator");
    return create(comm, group, tag_for_group(tag), newcomm);
}
