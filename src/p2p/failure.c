#include "p2p/failure.h"

#include "group/group.h"
#include "plain/fail.h"
#include "plain/log.h"

#include <stdlib.h>

/* In the order of detection. */
static int *failed;
static int failed_count, failed_room;

/* A list with twice the room. */
static void *grow_list(void *list, int *room, size_t item, const char *what)
{
    int wanted = *room ? 2 * *room : 16;
    void *bigger = realloc(list, (size_t)wanted * item);

    if (!bigger)
        log_die("no memory to keep %d %s", wanted, what);
    *room = wanted;
    return bigger;
}

void failure_add(int process)
{
    if (failed_count == failed_room)
        failed = grow_list(failed, &failed_room, sizeof *failed, "failed processes");
    failed[failed_count++] = process;
}

static bool is_member(const struct comm *comm, int process)
{
    return group_rank_of(comm->group, process) != MPI_UNDEFINED ||
           (comm->remote && group_rank_of(comm->remote, process) != MPI_UNDEFINED);
}

int failure_list(const struct comm *comm, int room, int *process)
{
    int count = 0;

    for (int i = 0; i < failed_count; i++) {
        if (!is_member(comm, failed[i]))
            continue;
        if (count < room)
            process[count] = failed[i];
        count++;
    }
    return count;
}

bool failure_is_new_in(const struct comm *comm)
{
    return failure_list(comm, 0, NULL) > comm->acknowledged;
}

void failure_interrupt(struct request *r)
{
    if (request_is_done(r))
        return;
    fail(MPIX_ERR_PROC_FAILED_PENDING, "a process that could have sent the message has failed");
    request_complete(r, MPIX_ERR_PROC_FAILED_PENDING);
}

/* Release: pairs with request_is_done. */
void failure_resume(struct request *r)
{
    if (!request_is_done(r) || !failure_is_interrupted(r))
        return;
    atomic_store_explicit(&r->done, 0, memory_order_release);
    r->status.error = MPI_SUCCESS;
    free(r->note);
    r->note = NULL;
}

/* Contexts that a member has revoked, perhaps before this process has the communicator. Contexts do not come again. */
static uint64_t *revoked;
static int revoked_count, revoked_room;

bool failure_is_revoked_context(uint64_t context)
{
    for (int i = 0; i < revoked_count; i++)
        if (revoked[i] == context)
            return true;
    return false;
}

void failure_note_context(uint64_t context)
{
    if (failure_is_revoked_context(context))
        return;
    if (revoked_count == revoked_room)
        revoked = grow_list(revoked, &revoked_room, sizeof *revoked, "revoked communicators");
    revoked[revoked_count++] = context;
}
