/* MPI_Comm_free. MPI_Comm_disconnect is dynamic/disconnect.c. */
#include "making/hint_report.h"
#include "making/make.h"
#include "p2p/match/match.h"
#include "plain/fail.h"

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
