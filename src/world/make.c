#include "world/make.h"

#include "base/fail.h"
#include "coll/schedule.h"
#include "object/error.h"

int make_next_tag(struct comm *comm)
{
    return schedule_next_tag(comm);
}

int make_prepare(struct comm *parent, struct group *group, struct info *info, const char *call,
                 struct comm **comm)
{
    struct comm *c;
    int error = comm_new(0, group, NULL, &c);

    if (error)
        return error;
    c->errhandler = errhandler_of(&parent->errhandler);
    comm_set_session(c, parent->session);
    if (info)
        info_offer(info, &c->hints, AT_CREATE, call);
    *comm = c;
    return MPI_SUCCESS;
}

void make_discard(struct comm *comm)
{
    attribute_delete_all(&comm->attributes, comm_handle(comm));
    object_retire(&comm->object);
    comm_unref(comm);
}

/* What a peer hears of an error: the program's own codes mean nothing there. */
static int error_for_peers(int error)
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
        .verdict = {.context = members->me == 0 ? comm_next_context() : 0,
                    .error = error_for_peers(error),
                    .culprit = error ? members->parent->rank : 0},
    };
    if (comm)
        a->verdict.vote = vote_of(&comm->hints, members->me);
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
    vote_settle(&v->vote, &comm->hints, comm->rank);
    comm_open(comm, v->context);
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
