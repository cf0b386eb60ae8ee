#include "making/make.h"

#include "coll/coll.h"
#include "net/net.h"
#include "object/error.h"
#include "p2p/mitigate.h"
#include "p2p/p2p.h"
#include "plain/fail.h"

#include <stdlib.h>

/* What one leader sends the other. */
struct leader_word {
    struct verdict verdict; /* the common one of its group */
    int32_t size;           /* of the group */
    int32_t has_guests;     /* its processes are of several jobs; else: */
    uint64_t job;           /* the job of all of them */
    uint64_t host;          /* the host whose memory all of them share; 0: there is none */
};

/* Two groups that become an intercommunicator. */
struct leader_meeting {
    struct bridge bridge;
    struct leader_word ours, theirs;
    uint64_t context;                     /* of the new communicator */
    bool is_first;                        /* whether the local group is the first */
    struct card *our_cards, *their_cards; /* of both groups, by rank; owned; ours at the leader only; zero: it
                                           * has not come, since a rank is lost */
    int *process;                         /* of the remote group, by rank; owned */
    struct group *remote;                 /* referenced */
    struct comm *comm;                    /* the new one, until it is returned */
};

static bool is_leader(const struct leader_meeting *m)
{
    return m->bridge.local->rank == m->bridge.leader;
}

/* The leaders exchange their data; then all ranks of each group have `theirs`. */
static int swap(struct leader_meeting *m, const void *ours, int our_size, void *theirs, int their_size)
{
    const struct bridge *b = &m->bridge;
    struct datatype *byte = datatype_predefined(MPI_BYTE);
    int error = MPI_SUCCESS, error_of_bcast;

    if (is_leader(m))
        error = p2p_sendrecv(ours, our_size, byte, b->remote_leader, b->tag, theirs, their_size, byte,
                             b->remote_leader, b->tag, b->peer, PLANE_COLL, NULL);
    error_of_bcast = coll_bcast(theirs, their_size, byte, b->leader, b->local, FORM_BLOCKING, NULL, NULL);
    return error ? error : error_of_bcast;
}

/* The host whose memory the whole group shares: the same on all ranks, or 0 on all. */
static uint64_t host_of_all(const struct group *group)
{
    return net_shares_host(group->process, group->size) ? net_host() : 0;
}

/* Makes this group's verdict, `context` included. */
static int agree_here(struct leader_meeting *m, int error, struct vote vote)
{
    struct comm *local = m->bridge.local;
    struct members members = make_everybody(local);
    struct agreement a;

    make_agreement(&a, &members, NULL, error);
    if (members.me == 0) /* the two groups may be of two jobs */
        a.verdict.context = comm_wide_context();
    a.verdict.vote = vote;
    error = agree(&a);
    m->ours = (struct leader_word){.verdict = a.verdict,
                                   .size = local->size,
                                   .has_guests = local->group->has_guests,
                                   .job = card_mine().job,
                                   .host = host_of_all(local->group)};
    return error;
}

static int fail_for(const struct verdict *v, const char *whose)
{
    return fail(v->error, "rank %d of the %s group could not make its part of the intercommunicator (%s)",
                v->culprit, whose, error_name(v->error) ? error_name(v->error) : "unknown error");
}

/* Exchanges the leaders' words. An error of either group is the result. */
static int confer(struct leader_meeting *m, int error)
{
    int met;

    m->theirs = (struct leader_word){.verdict.error = MPI_ERR_OTHER}; /* in case it is not received */
    met = swap(m, &m->ours, sizeof m->ours, &m->theirs, sizeof m->theirs);
    if (error || met)
        return error ? error : met;
    if (m->ours.verdict.error)
        return fail_for(&m->ours.verdict, "local");
    if (m->theirs.verdict.error)
        return fail_for(&m->theirs.verdict, "remote");
    return MPI_SUCCESS;
}

/* One round: an error of this rank becomes an error of all. */
static int intercomm_meet(struct leader_meeting *m, int error, struct vote vote)
{
    int here = agree_here(m, error, vote);

    return confer(m, error ? error : here);
}

/* The first round. Ranks that name different leaders follow the one that most of them name, so that it can
 * report to the other group. */
static int greet(struct leader_meeting *m, int error)
{
    struct bridge *b = &m->bridge;
    struct vote vote = {.party[0] = {.word = (uint64_t)b->leader, .ranks = 1, .first = b->local->rank}};
    int here = agree_here(m, error, vote);

    if (!error)
        error = here;
    if (vote_is_split(&m->ours.verdict.vote)) {
        b->leader = (int)vote_winner(&m->ours.verdict.vote)->word;
        if (!error)
            error = fail(MPI_ERR_ARG, "the ranks of local_comm name different local leaders");
        m->ours.verdict.error = MPI_ERR_ARG;
    }
    if (b->leader < 0 || b->leader >= b->local->size)
        return error ? error : fail_for(&m->ours.verdict, "local");
    if (is_leader(m) && !b->peer) { /* nothing is sent */
        b->remote_leader = MPI_PROC_NULL;
        b->peer = b->local;
    }
    return confer(m, error);
}

static int intercomm_check_disjoint(const struct leader_meeting *m)
{
    for (int i = 0; i < m->theirs.size; i++)
        if (group_rank_of(m->bridge.local->group, m->process[i]) != MPI_UNDEFINED)
            return fail(MPI_ERR_COMM, "the remote group's rank %d is in the local group as well", i);
    return MPI_SUCCESS;
}

static int make_part(struct leader_meeting *m, struct info *info, const char *call)
{
    struct comm *local = m->bridge.local;
    int error = intercomm_check_disjoint(m);

    if (!error)
        error = group_new_in(local->session, m->theirs.size, m->process, &m->remote);
    if (!error)
        error = make_prepare_inter(local, local->group, m->remote, m->is_first, info, call, &m->comm);
    return error;
}

static bool are_of_one_job(const struct leader_meeting *m)
{
    return !m->ours.has_guests && !m->theirs.has_guests && m->ours.job == m->theirs.job;
}

static bool meet_in_memory(const struct leader_meeting *m)
{
    return m->ours.host && m->ours.host == m->theirs.host;
}

/* The second round. After it processes of other jobs can be connected. */
static int intercomm_make_room(struct leader_meeting *m)
{
    int error = are_of_one_job(m) ? MPI_SUCCESS : p2p_admit(!meet_in_memory(m));

    m->process = malloc((size_t)m->theirs.size * sizeof *m->process);
    m->their_cards = calloc((size_t)m->theirs.size, sizeof *m->their_cards);
    if (is_leader(m))
        m->our_cards = calloc((size_t)m->bridge.local->size, sizeof *m->our_cards);
    if (!error && (!m->process || !m->their_cards || (is_leader(m) && !m->our_cards)))
        error = fail(MPI_ERR_NO_MEM, "no memory for the %d processes of the remote group", m->theirs.size);
    return intercomm_meet(m, error, (struct vote){0});
}

static int meet_card(const struct leader_meeting *m, int rank)
{
    if (!m->their_cards[rank].job)
        return fail(net_loss_class(), "rank %d of the remote group is lost, or cannot be met", rank);
    return p2p_meet(&m->their_cards[rank], &m->process[rank]);
}

/* Processes may know the same process by different numbers, so the leaders exchange cards. */
static int swap_processes(struct leader_meeting *m)
{
    const struct bridge *b = &m->bridge;
    struct datatype *byte = datatype_predefined(MPI_BYTE);
    struct card mine = card_mine();
    int size = (int)sizeof mine, error, swapped;

    error = coll_gather(&mine, size, byte, m->our_cards, size, byte, b->leader, b->local, FORM_BLOCKING, NULL,
                        NULL);
    swapped = swap(m, m->our_cards, b->local->size * size, m->their_cards, m->theirs.size * size);
    if (!error)
        error = swapped;
    for (int i = 0; !error && i < m->theirs.size; i++)
        error = meet_card(m, i);
    return error;
}

/* The third round: agrees on the hints, and checks that all have made their part. */
static int seal(struct leader_meeting *m, int error)
{
    struct vote vote = {0};
    int me = 0;

    if (m->comm) {
        me = m->comm->whole->rank;
        vote = vote_of(&m->comm->hints, me);
    }
    error = intercomm_meet(m, error, vote);
    if (error)
        return error;
    vote = m->ours.verdict.vote;
    vote_add(&vote, &m->theirs.verdict.vote);
    vote_settle(&vote, &m->comm->hints, me);
    return MPI_SUCCESS;
}

static int intercomm_create_agreed(struct leader_meeting *m, int error, struct info *info, const char *call)
{
    uint64_t ours, theirs;

    error = greet(m, error);
    if (error)
        return error;
    ours = m->ours.verdict.context;
    theirs = m->theirs.verdict.context;
    m->is_first = ours < theirs;
    m->context = m->is_first ? ours : theirs;
    error = intercomm_make_room(m);
    if (error)
        return error;
    error = swap_processes(m);
    if (!error)
        error = make_part(m, info, call);
    return seal(m, error);
}

int intercomm_create(const struct bridge *bridge, int error, struct info *info, const char *call,
                     struct comm **newcomm)
{
    struct leader_meeting m = {.bridge = *bridge};

    error = intercomm_create_agreed(&m, error, info, call);
    if (!error) {
        mitigate_open(m.comm, m.context);
        *newcomm = m.comm;
    } else if (m.comm) {
        make_discard(m.comm);
    }
    if (m.remote)
        group_unref(m.remote);
    free(m.our_cards);
    free(m.their_cards);
    free(m.process);
    return error;
}

/* Whether the first group comes first in the order that `high` gives. If both groups give the same value, it
 * does. */
static int find_order(struct comm *comm, int high, bool *is_first_low)
{
    enum {
        FIRST_LOW = 1,
        FIRST_HIGH = 2,
        SECOND_LOW = 4,
        SECOND_HIGH = 8
    };
    uint64_t said = comm_is_first(comm) ? (high ? FIRST_HIGH : FIRST_LOW) : (high ? SECOND_HIGH : SECOND_LOW);
    int error = coll_agree(comm->whole, NULL, &said);

    if (error)
        return error;
    if ((said & FIRST_LOW && said & FIRST_HIGH) || (said & SECOND_LOW && said & SECOND_HIGH))
        return fail(MPI_ERR_NOT_SAME, "ranks of one group gave different values of high; this one %d", high);
    *is_first_low = said & FIRST_LOW || said & SECOND_HIGH;
    return MPI_SUCCESS;
}

/* The union with the second group first. */
static int turn(const struct comm *comm, struct group **group)
{
    const struct group *both = comm->whole->group;
    int first = comm_is_first(comm) ? comm->size : comm->remote->size, size = both->size, error;
    int *process = malloc((size_t)size * sizeof *process);

    if (!process)
        return fail(MPI_ERR_NO_MEM, "no memory for a group of %d processes", size);
    for (int i = 0; i < size; i++)
        process[i] = both->process[(i + first) % size];
    error = group_new_in(both->session, size, process, group);
    free(process);
    return error;
}

int intercomm_merge(struct comm *comm, int high, struct comm **newcomm)
{
    struct members members;
    struct group *group = NULL;
    struct comm *c = NULL;
    bool is_first_low = true;
    int error;

    if (!comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "MPI_Intercomm_merge takes an intercommunicator");
    error = find_order(comm, high, &is_first_low);
    if (error)
        return error;
    members = make_everybody(comm);
    if (is_first_low) {
        group = comm->whole->group;
        group_ref(group);
    } else {
        error = turn(comm, &group);
    }
    if (!error)
        error = make_prepare(comm, group, NULL, "MPI_Intercomm_merge", &c);
    error = make(&members, c, error, newcomm);
    if (group)
        group_unref(group);
    return error;
}

/* Checks the leader's own arguments. A leader that cannot reach the other one has no peer. */
static int check_leader(const struct bridge *b, const struct comm *peer)
{
    if (!peer)
        return fail(MPI_ERR_COMM, "peer_comm, as the local leader gives it, is no communicator");
    if (b->remote_leader >= 0 && b->remote_leader < comm_peer_count(peer))
        return MPI_SUCCESS;
    return fail(MPI_ERR_RANK, "remote_leader %d is not a rank of peer_comm; they go from 0 to %d",
                b->remote_leader, comm_peer_count(peer) - 1);
}

/* A rank with invalid arguments goes on with its error, to report it to the other processes. */
int intercomm_create_of_handles(struct comm *local, int local_leader, MPI_Comm peer, int remote_leader,
                                int tag, struct comm **newcomm)
{
    struct bridge b = {.local = local,
                       .leader = local_leader,
                       .remote_leader = remote_leader,
                       .tag = tag < 0 ? 0 : make_program_tag(tag)};
    int error = MPI_SUCCESS;

    if (comm_is_inter(local))
        return fail(MPI_ERR_COMM, "local_comm is an intercommunicator");
    if (local_leader < 0 || local_leader >= local->size)
        error = fail(MPI_ERR_RANK, "local_leader %d is not a rank of local_comm; they go from 0 to %d",
                     local_leader, local->size - 1);
    else if (tag < 0)
        error = fail(MPI_ERR_TAG, "tag %d is negative", tag);
    else if (local->rank == local_leader)
        error = check_leader(&b, comm_find(peer));
    if (!error)
        b.peer = comm_find(peer);
    return intercomm_create(&b, error, NULL, NULL, newcomm);
}

int intercomm_create_from_group_handles(struct group *local, int local_leader, MPI_Group remote,
                                        int remote_leader, const char *stringtag, struct info *info,
                                        struct errhandler *errhandler, struct comm **newcomm)
{
    return comm_create_inter_from_groups(local, local_leader, group_find(remote), remote_leader, stringtag,
                                         info, errhandler, newcomm);
}
