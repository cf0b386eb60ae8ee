#include "p2p/mitigate.h"

#include "group/group.h"
#include "p2p/failure.h"
#include "p2p/lost.h"
#include "p2p/transfer.h"
#include "plain/fail.h"
#include "plain/log.h"

#include <stdlib.h>

/* The first `most` failed processes of comm. */
static int group_of_failed(struct comm *comm, bool only_acknowledged, struct group **group)
{
    int *process, count, error;

    lane_take(&lanes[0]);
    count = only_acknowledged ? comm->acknowledged : failure_list(comm, 0, NULL);
    process = malloc(((size_t)count + 1) * sizeof *process);
    if (process)
        failure_list(comm, count, process);
    lane_release(&lanes[0]);
    error = process ? group_new_in(comm->session, count, process, group)
                    : fail(MPI_ERR_NO_MEM, "no memory for a group of %d processes", count);
    free(process);
    if (!error)
        group_hand_out(*group);
    return error;
}

int mitigate_get(struct comm *comm, struct group **group)
{
    progress_poll();
    return group_of_failed(comm, false, group);
}

int mitigate_get_acked(struct comm *comm, struct group **group)
{
    return group_of_failed(comm, true, group);
}

/* The interrupted receives of comm wait again. */
static void resume_posted(struct comm *comm)
{
    struct match *match = comm->match[0];
    struct posted **list;
    uint32_t count;

    if (!match || comm->revoked)
        return;
    list = match_list_posted(&match->space[PLANE_P2P], &count);
    for (uint32_t i = 0; i < count; i++)
        failure_resume(transfer_request(LIST_ENTRY(list[i], struct transfer, posted)));
    free(list);
}

int mitigate_ack_some(struct comm *comm, int count, int *acked)
{
    int known;

    if (count < 0)
        return fail(MPI_ERR_ARG, "num_to_ack is %d; a number of failures is 0 or more", count);
    lane_take(&lanes[0]);
    known = failure_list(comm, 0, NULL);
    if (count > known)
        count = known;
    if (count > comm->acknowledged) {
        comm->acknowledged = count;
        if (count == known)
            resume_posted(comm);
    }
    *acked = comm->acknowledged;
    lane_release(&lanes[0]);
    return MPI_SUCCESS;
}

int mitigate_ack_all(struct comm *comm)
{
    int acked;

    progress_poll();
    return mitigate_ack_some(comm, INT32_MAX, &acked);
}

/* Nothing can be sent there or received from there. */
static bool send_nothing(struct peer *peer, const struct message *message, const void *payload)
{
    (void)peer;
    (void)message;
    (void)payload;
    return false;
}

static const struct transport_limits no_limits = {.message_max = 64, .message_best = 64};

static const struct transport_limits *limits_of_nobody(const struct peer *peer)
{
    (void)peer;
    return &no_limits;
}

static const struct transport nowhere = {
    .name = "nowhere", .eager_limit = HINT_EAGER_LIMIT, .limits = limits_of_nobody, .send = send_nothing};
static struct peer nobody = {.transport = &nowhere, .message_max = 64, .lost = "has been revoked"};

static void end_posted(struct comm *comm, int error)
{
    struct match *match = comm->match[0];

    for (int plane = 0; match && plane < PLANE_COUNT; plane++) {
        uint32_t count;
        struct posted **list = match_list_posted(&match->space[plane], &count);

        for (uint32_t i = 0; i < count; i++) {
            struct transfer *t = LIST_ENTRY(list[i], struct transfer, posted);

            transfer_unpost(t);
            t->is_posted = false;
            failure_resume(transfer_request(t));
            transfer_finish(t, error);
        }
        free(list);
    }
}

static void drop_unexpected(struct comm *comm)
{
    struct match *match = comm->match[0];

    for (int plane = 0; match && plane < PLANE_COUNT; plane++) {
        struct unexpected_store *s = &match->space[plane].unexpected;

        for (struct unexpected *u; (u = unexpected_find(s, MPI_ANY_SOURCE, MPI_ANY_TAG));) {
            unexpected_take(s, u);
            unexpected_free(s, u);
        }
    }
}

static void tell_member(const struct comm *comm, int process)
{
    struct message m = {.kind = MESSAGE_REVOKE, .context = comm->context, .source = comm->rank};
    struct peer *peer = process == group_me ? NULL : net_peer(0, process);

    if (peer && !peer->lost)
        packet_send(peer, &m, NULL, NULL); /* without memory the others tell it */
}

static void tell_members(const struct comm *comm)
{
    for (int i = 0; i < comm->group->size; i++)
        tell_member(comm, comm->group->process[i]);
    for (int i = 0; comm->remote && i < comm->remote->size; i++)
        tell_member(comm, comm->remote->process[i]);
}

/* Takes its peers from a communicator. */
static void cut_off(struct comm *comm)
{
    int *none = malloc((size_t)comm_peer_count(comm) * sizeof *none);

    if (!none)
        log_die("no memory to revoke a communicator of %d", comm_peer_count(comm));
    for (int i = 0; i < comm_peer_count(comm); i++)
        none[i] = net_nobody();
    comm->revoked = none;
    comm->process = none;
    if (comm->shm_coll)
        comm->shm_coll_retire(comm->shm_coll);
    else
        comm->lacks_shm_coll = true;
}

static void revoke(struct comm *comm)
{
    int error;

    if (comm->revoked)
        return;
    nobody.process = net_nobody();
    list_init(&nobody.waiting);
    net_peers[0][net_nobody()] = &nobody;
    atomic_store_explicit(&lost_any, true, memory_order_relaxed);
    tell_members(comm);
    failure_note_context(comm->context);
    comm_close(comm);
    cut_off(comm);
    if (comm->whole)
        cut_off(comm->whole);
    error = lost_check_peer(&nobody);
    for (struct comm *c = comm; c; c = c == comm ? comm->whole : NULL) {
        end_posted(c, error);
        drop_unexpected(c);
        cancel_withdraw_sends(c, error);
        if (c->match[0])
            match_forget(c->match[0]);
    }
}

void mitigate_on_revoke(uint64_t context)
{
    struct comm *comm = failure_is_revoked_context(context) ? NULL : comm_find_context(context);

    if (comm)
        revoke(comm);
    else
        failure_note_context(context);
}

/* It may have been revoked before it was opened here. */
static void take_in_early(struct comm *comm)
{
    if (!comm->revoked && failure_is_revoked_context(comm->context))
        revoke(comm);
}

void mitigate_open(struct comm *comm, uint64_t context)
{
    comm_open(comm, context);
    if (!net_survives())
        return;
    lane_take(&lanes[0]);
    take_in_early(comm);
    lane_release(&lanes[0]);
}

int mitigate_revoke(struct comm *comm)
{
    if (!net_survives())
        return fail(MPI_ERR_UNSUPPORTED_OPERATION, "the job was not started with mpiexec --survive");
    lane_take(&lanes[0]);
    revoke(comm);
    lane_release(&lanes[0]);
    return MPI_SUCCESS;
}

int mitigate_is_revoked(struct comm *comm, int *flag)
{
    progress_poll();
    lane_take(&lanes[0]);
    take_in_early(comm);
    *flag = comm->revoked != NULL;
    lane_release(&lanes[0]);
    return MPI_SUCCESS;
}
