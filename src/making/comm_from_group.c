#include "making/make.h"

#include "base/lock.h"
#include "coll/coll.h"
#include "net/card.h"
#include "p2p/mitigate.h"
#include "plain/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Contexts of temporary parents have this bit. Those of comm_next_context begin with a process number. */
#define CONTEXT_OF_MEETING ((uint64_t)1 << 63)

/* How often this process has made a parent with the same members under the same tag. */
struct group_meeting {
    uint64_t place; /* hash of tag and members */
    uint64_t times;
    struct group_meeting *next;
};

static struct lock lock = LOCK_INIT;   /* guards the list and what is in it */
static struct group_meeting *meetings; /* kept for ever: the other members count too */

static uint64_t from_group_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_place(const struct group *group, const char *stringtag)
{
    uint64_t hash = from_group_mix(0, (uint64_t)group->size);

    for (const char *c = stringtag; *c; c++)
        hash = from_group_mix(hash, (unsigned char)*c);
    for (int i = 0; i < group->size; i++)
        hash = from_group_mix(hash, card_identity(group->process[i]));
    return hash;
}

static int count_meeting(uint64_t place, uint64_t *times)
{
    struct group_meeting *m;

    lock_always_take(&lock);
    for (m = meetings; m && m->place != place; m = m->next)
        ;
    if (!m) {
        m = calloc(1, sizeof *m);
        if (m) {
            *m = (struct group_meeting){.place = place, .next = meetings};
            meetings = m;
        }
    }
    if (m)
        *times = ++m->times;
    lock_always_release(&lock);
    return m ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory to meet the other members of a group");
}

/* Makes the temporary parent: a context of its own, the error handler of the new communicator. */
static int from_group_meet(struct group *group, const char *stringtag, struct errhandler *errhandler,
                           struct comm **place)
{
    uint64_t hash = hash_place(group, stringtag), times = 0;
    struct comm *c;
    int error = comm_new(0, group, &c);

    if (error)
        return error;
    error = comm_set_errhandler(c, errhandler);
    if (!error) /* last: what is refused here is not counted by the other members either */
        error = count_meeting(hash, &times);
    if (error) {
        make_discard(c);
        return error;
    }
    mitigate_open(c, CONTEXT_OF_MEETING | from_group_mix(hash, times) >> 1);
    *place = c;
    return MPI_SUCCESS;
}

static int from_group_check(const struct group *group, const char *stringtag)
{
    if (strlen(stringtag) >= MPI_MAX_STRINGTAG_LEN)
        return fail(MPI_ERR_ARG, "stringtag has %zu characters; MPI_MAX_STRINGTAG_LEN allows %d",
                    strlen(stringtag), MPI_MAX_STRINGTAG_LEN - 1);
    if (group->size && group->rank == MPI_UNDEFINED)
        return fail(MPI_ERR_GROUP, "this process is not in the group");
    return MPI_SUCCESS;
}

int comm_create_from_group(struct group *group, const char *stringtag, struct info *info,
                           struct errhandler *errhandler, struct comm **newcomm)
{
    struct members members = {.count = group->size, .me = group->rank};
    struct comm *c = NULL;
    int error = from_group_check(group, stringtag);

    if (!error && group->size == 0) {
        *newcomm = NULL;
        return MPI_SUCCESS;
    }
    if (!error)
        error = from_group_meet(group, stringtag, errhandler, &members.parent);
    if (error)
        return error;
    error = make_prepare(members.parent, group, info, "MPI_Comm_create_from_group", &c);
    error = make(&members, c, error, newcomm);
    make_discard(members.parent);
    return error;
}

/* Arguments of MPI_Intercomm_create_from_groups. */
struct call {
    struct group *remote; /* this and the next: significant at the local leader only */
    int remote_leader;
    const char *stringtag;
    struct errhandler *errhandler;
};

/* A process in both groups could take part for one of them only. */
static int from_group_check_disjoint(const struct group *local, const struct group *remote)
{
    for (int i = 0; i < remote->size; i++)
        if (group_rank_of(local, remote->process[i]) != MPI_UNDEFINED)
            return fail(MPI_ERR_GROUP, "the remote group's rank %d is in the local group as well", i);
    return MPI_SUCCESS;
}

static int check_leaders(const struct bridge *b, const struct call *call)
{
    const struct group *local = b->local->group;

    if (local->rank != b->leader)
        return MPI_SUCCESS;
    if (!call->remote)
        return fail(MPI_ERR_GROUP, "remote_group is no group; at the local leader it must be one");
    if (call->remote_leader < 0 || call->remote_leader >= call->remote->size)
        return fail(MPI_ERR_RANK, "remote_leader %d is no rank of the remote group, which has %d",
                    call->remote_leader, call->remote->size);
    return from_group_check_disjoint(local, call->remote);
}

/* The leaders' parent has a tag that no program can give. */
static int meet_leader(struct bridge *b, const struct call *call)
{
    char tag[MPI_MAX_STRINGTAG_LEN + 1];
    int mine = group_me, theirs = call->remote->process[call->remote_leader];
    bool is_first = card_identity(mine) < card_identity(theirs);
    struct group *pair;
    int error = group_new_in(b->local->session, 2,
                             (int[]){is_first ? mine : theirs, is_first ? theirs : mine}, &pair);

    if (error)
        return error;
    snprintf(tag, sizeof tag, "\1%s", call->stringtag);
    error = from_group_meet(pair, tag, call->errhandler, &b->peer);
    group_unref(pair);
    b->remote_leader = is_first;
    b->tag = make_program_tag(0);
    return error;
}

/* Whether the leader has given an empty remote group: then there is nothing to connect. */
static int ask_leader(const struct bridge *b, const struct group *remote, bool *is_empty)
{
    char empty = remote && remote->size == 0;
    int error =
        coll_bcast(&empty, 1, datatype_predefined(MPI_BYTE), b->leader, b->local, FORM_BLOCKING, NULL, NULL);

    *is_empty = empty;
    return error;
}

static int bridge_groups(struct bridge *b, const struct call *call, struct info *info, struct comm **newcomm)
{
    bool is_empty;
    int error = ask_leader(b, call->remote, &is_empty);

    if (!error && is_empty) {
        *newcomm = NULL;
        return MPI_SUCCESS;
    }
    if (!error)
        error = check_leaders(b, call);
    if (!error && b->local->rank == b->leader)
        error = meet_leader(b, call);
    error = intercomm_create(b, error, info, "MPI_Intercomm_create_from_groups", newcomm);
    if (b->peer)
        make_discard(b->peer);
    return error;
}

int comm_create_inter_from_groups(struct group *local, int local_leader, struct group *remote,
                                  int remote_leader, const char *stringtag, struct info *info,
                                  struct errhandler *errhandler, struct comm **newcomm)
{
    struct call call = {remote, remote_leader, stringtag, errhandler};
    struct bridge bridge = {.leader = local_leader};
    int error = from_group_check(local, stringtag);

    if (!error && local->size == 0) {
        *newcomm = NULL;
        return MPI_SUCCESS;
    }
    if (!error && (local_leader < 0 || local_leader >= local->size))
        error = fail(MPI_ERR_RANK, "local_leader %d is no rank of the local group, which has %d",
                     local_leader, local->size);
    if (!error)
        error = from_group_meet(local, stringtag, errhandler, &bridge.local);
    if (error)
        return error;
    error = bridge_groups(&bridge, &call, info, newcomm);
    make_discard(bridge.local);
    return error;
}
