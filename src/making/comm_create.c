/* MPI_Comm_create and MPI_Comm_create_group, whose members know each other from the start, and MPI_Comm_free. */
#include "making/hint_report.h"
#include "making/make.h"
#include "p2p/match/match.h"
#include "plain/fail.h"

static int check_subset(const struct comm *comm, const struct group *group)
{
    for (int i = 0; i < group->size; i++)
        if (group_rank_of(comm->group, group->process[i]) == MPI_UNDEFINED)
            return fail(MPI_ERR_GROUP, "the group's rank %d is not in the communicator", i);
    return MPI_SUCCESS;
}

static int create_create(struct comm *comm, struct group *group, int tag, const char *call,
                         struct comm **newcomm)
{
    struct members members = {
        .parent = comm, .tag = tag, .count = group->size, .me = group->rank, .process = group->process};
    struct comm *c = NULL;
    int error;

    error = check_subset(comm, group);
    if (error)
        return error;
    if (group->rank == MPI_UNDEFINED) {
        *newcomm = NULL;
        return MPI_SUCCESS;
    }
    error = make_prepare(comm, group, NULL, call, &c);
    return make(&members, c, error, newcomm);
}

/* A group does not know which processes the other one has chosen. */
static int create_inter(struct comm *comm, struct group *group, struct comm **newcomm)
{
    int refused = check_subset(comm, group), error;
    int64_t color = group->rank == MPI_UNDEFINED ? SPLIT_NOWHERE : 0;

    error =
        split(comm, refused ? split_refusal(refused) : color, group->rank, NULL, "MPI_Comm_create", newcomm);
    return refused ? refused : error;
}

int comm_create(struct comm *comm, struct group *group, struct comm **newcomm)
{
    if (comm_is_inter(comm))
        return create_inter(comm, group, newcomm);
    return create_create(comm, group, make_next_tag(comm), "MPI_Comm_create", newcomm);
}

int comm_create_group(struct comm *comm, struct group *group, int tag, struct comm **newcomm)
{
    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "MPI_Comm_create_group takes an intracommunicator");
    return create_create(comm, group, make_program_tag(tag), "MPI_Comm_create_group", newcomm);
}

/* MPI_Comm_disconnect is dynamic/disconnect.c. */

int comm_check_freeable(const struct comm *comm)
{
    if (object_is_retired(&comm->object))
        return fail(MPI_ERR_COMM, "the communicator was freed before; its error handler may only look at it");
    if (!comm->object.predefined)
        return MPI_SUCCESS;
    return fail(MPI_ERR_COMM, "%s cannot be freed", comm == &comm_world ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
}

/* Local. Pending operations hold references and complete. The handle is invalid at once. */
int comm_free(struct comm *comm)
{
    int error = comm_check_freeable(comm);

    if (!error)
        error = attribute_delete_all(&comm->attributes, comm_handle(comm));
    if (error)
        return error;
    hint_report_last_of_comm(comm);
    object_retire(&comm_pool, &comm->object);
    comm_unref(comm);
    match_free_all_retired();
    return MPI_SUCCESS;
}
