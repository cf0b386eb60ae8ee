#include "base/fail.h"
#include "coll/coll.h"
#include "dynamic/spawn.h"
#include "making/hint_report.h"
#include "making/make.h"
#include "p2p/p2p.h"

static int check_freeable(const struct comm *comm)
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
    int error = check_freeable(comm);

    if (!error)
        error = attribute_delete_all(&comm->attributes, comm_handle(comm));
    if (error)
        return error;
    hint_report_last_of_comm(comm);
    spawn_forget(comm);
    object_retire(&comm_pool, &comm->object);
    comm_unref(comm);
    return MPI_SUCCESS;
}

/* All communication is complete and matched (MPI-5.0 section 11.10.4); the barrier shows that on every
 * rank. */
int comm_disconnect(struct comm *comm)
{
    int error = check_freeable(comm);

    if (error)
        return error;
    p2p_wait_sends(comm);
    /* a process that has left the barrier no longer depends on a root that has not */
    spawn_part(comm->context);
    error = coll_barrier(comm_whole(comm), FORM_BLOCKING, NULL, NULL);
    return error ? error : comm_free(comm);
}
