#include "making/make.h"

#include "coll/sched/schedule.h"
#include "making/hint_report.h"
#include "object/error.h"
#include "p2p/lane.h"
#include "p2p/mitigate.h"
#include "plain/fail.h"

#include <limits.h>

int make_next_tag(struct comm *comm)
{
    return schedule_next_tag(comm);
}

/* Tags of collectives are 0 and above. The result must not be MPI_ANY_TAG (-2), so one tag maps to the number
 * that the collectives reach last. */
int make_program_tag(int tag)
{
    int mapped = INT_MIN + tag;

    return mapped == MPI_ANY_TAG ? INT_MAX : mapped;
}

struct members make_everybody(struct comm *comm)
{
    struct comm *whole = comm_whole(comm);

    return (struct members){
        .parent = whole, .tag = make_next_tag(whole), .count = whole->size, .me = whole->rank};
}

static void equip(struct comm *c, struct comm *parent, struct info *info, const char *call)
{
    c->errhandler = errhandler_of(&parent->errhandler);
    comm_set_session(c, parent->session);
    if (call)
        info_offer(info, &c->hints, AT_CREATE, call);
}

int make_prepare(struct comm *parent, struct group *group, struct info *info, const char *call,
                 struct comm **comm)
{
    int error = comm_new(0, group, comm);

    if (!error)
        equip(*comm, parent, info, call);
    return error;
}

int make_prepare_inter(struct comm *parent, struct group *group, struct group *remote, bool is_first,
                       struct info *info, const char *call, struct comm **comm)
{
    int error = comm_new_inter(group, remote, is_first, comm);

    if (!error)
        equip(*comm, parent, info, call);
    return error;
}

void make_discard(struct comm *comm)
{
    attribute_delete_all(&comm->attributes, comm_handle(comm));
    object_retire(&comm_pool, &comm->object);
    comm_unref(comm);
}

int make_error_for_peers(int error)
{
    return error > MPI_ERR_LASTCODE ? MPI_ERR_OTHER : error;
}

void make_agreement(struct agreement *a, const struct members *members, const struct comm *comm, int error)
{
    *a = (struct agreement){
        .comm = members->parent,
        .tag = members->tag,
        .count = members->count,
        .me = members->me,
        .process = members->process,
        .verdict = {.context = members->me == 0 ? comm_next_context(members->parent->context) : 0,
                    .lanes = 1,
                    .error = make_error_for_peers(error),
                    .culprit = error ? members->parent->rank : 0},
    };
    if (!comm)
        return;
    a->verdict.lanes = lane_count_offered(comm);
    a->verdict.vote = vote_of(&comm->hints, members->me);
    a->verdict.overtaking = hint_value(&comm->hints, HINT_ALLOW_OVERTAKING) != 0;
}

int make_finish(const struct agreement *a, struct comm *comm, int error)
{
    const struct verdict *v = &a->verdict;

    if (!error)
        error = a->error;
    if (!error && v->error)
        error =
            fail(v->error, "rank %d of the parent communicator could not make its part of the new one (%s)",
                 v->culprit, error_name(v->error) ? error_name(v->error) : "unknown error");
    if (error) {
        if (comm)
            make_discard(comm);
        return error;
    }
    vote_settle(&v->vote, &comm->hints, a->me);
    lane_assign(comm, v->context, v->lanes, v->overtaking);
    mitigate_open(comm, v->context);
    hint_report_comm(comm);
    return MPI_SUCCESS;
}

int make(const struct members *members, struct comm *comm, int error, struct comm **newcomm)
{
    struct agreement a;

    make_agreement(&a, members, comm, error);
    agree(&a);
    error = make_finish(&a, comm, error);
    if (!error)
        *newcomm = comm;
    return error;
}
