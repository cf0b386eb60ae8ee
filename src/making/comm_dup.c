/* MPI_Comm_dup, MPI_Comm_idup and their _with_info forms. The nonblocking forms do their local part, copy
 * callbacks included, in the call; then a poller drives the agreement. */
#include "comm/topology.h"
#include "making/make.h"
#include "plain/fail.h"
#include "progress/poll_queue.h"

#include <stdlib.h>

/* One MPI_Comm_idup in flight. Its request owns it. If this rank has failed at once it owns itself, and only
 * takes part for the peers. */
struct idup {
    struct link link; /* in in_flight */
    struct agreement agreement;
    struct comm *parent; /* referenced */
    struct comm *comm;   /* NULL: this rank has failed */
    int error;
    struct request *request; /* referenced; NULL: this rank has failed */
};

static struct poll_queue in_flight = POLL_QUEUE_INIT(in_flight); /* its lock guards the agreements too */
static struct idup reserve; /* for reporting to the peers when memory is out */
static bool reserve_taken;  /* guarded by that lock */

/* Runs the copy callbacks too. */
static int dup_prepare(struct comm *comm, struct info *info, const char *call, struct comm **newcomm)
{
    struct comm *c;
    int error;

    if (comm_is_inter(comm))
        error = make_prepare_inter(comm, comm->group, comm->remote, comm_is_first(comm), info, call, &c);
    else
        error = make_prepare(comm, comm->group, info, call, &c);
    if (error)
        return error;
    error = attribute_copy_all(&comm->attributes, comm_handle(comm), &c->attributes);
    if (error) {
        make_discard(c);
        return error;
    }
    c->topology = topology_ref(comm->topology);
    *newcomm = c;
    return MPI_SUCCESS;
}

static int dup_by(const char *call, struct comm *comm, struct info *info, struct comm **newcomm)
{
    struct members members = make_everybody(comm);
    struct comm *c = NULL;
    int error = dup_prepare(comm, info, call, &c);

    return make(&members, c, error, newcomm);
}

int comm_dup_with_info(struct comm *comm, struct info *info, struct comm **newcomm)
{
    return dup_by("MPI_Comm_dup_with_info", comm, info, newcomm);
}

int comm_dup(struct comm *comm, struct comm **newcomm)
{
    return dup_by("MPI_Comm_dup", comm, NULL, newcomm);
}

static void idup_free(struct idup *d)
{
    comm_unref(d->parent);
    if (d != &reserve) {
        free(d);
        return;
    }
    lock_take(&in_flight.lock);
    reserve_taken = false;
    lock_release(&in_flight.lock);
}

static struct idup **idup_slot(struct request *r)
{
    return (struct idup **)(void *)r->space;
}

static void dup_release(struct request *r)
{
    idup_free(*idup_slot(r));
}

static const struct request_ops idup_ops = {.release = dup_release};

/* Attribute callbacks may run here: no lock is held. */
static void idup_finish(struct idup *d)
{
    struct request *r = d->request;
    int error = make_finish(&d->agreement, d->comm, d->error);

    if (!r) {
        idup_free(d);
        return;
    }
    request_complete(r, error);
    request_unref(r);
}

static int idup_poll(bool all)
{
    struct link finished = LIST_INIT(finished), *next;
    int events = 0;

    (void)all;
    if (!poll_queue_count(&in_flight))
        return 0;
    lock_take(&in_flight.lock);
    for (struct link *l = in_flight.entries.next; l != &in_flight.entries; l = next) {
        next = l->next;
        if (!agree_poll(&LIST_ENTRY(l, struct idup, link)->agreement))
            continue;
        poll_queue_remove(&in_flight, l);
        list_add(&finished, l);
    }
    lock_release(&in_flight.lock);
    while (!list_is_empty(&finished)) {
        struct link *l = finished.next;

        list_remove(l);
        idup_finish(LIST_ENTRY(l, struct idup, link));
        events++;
    }
    return events;
}

static void idup_start(struct idup *d)
{
    poll_queue_register(&in_flight, idup_poll);
    lock_take(&in_flight.lock);
    agree_start(&d->agreement);
    poll_queue_add(&in_flight, &d->link, false);
    lock_release(&in_flight.lock);
}

/* NULL: out of memory. */
static struct idup *idup_new(struct comm *comm)
{
    struct idup *d = calloc(1, sizeof *d);

    if (!d || request_new(REQUEST_COMM, &idup_ops, &d->request)) {
        free(d);
        return NULL;
    }
    d->request->active = true;
    d->request->owner = &comm->object;
    *idup_slot(d->request) = d;
    comm_ref(comm);
    d->parent = comm;
    return d;
}

/* This rank has failed. The caller gets the error now, and d takes part for the peers, without a request.
 * Without peers it finishes now, since this process may not call MPI again. */
static void idup_serve(struct idup *d)
{
    struct request *r = d->request;

    d->request = NULL;
    r->ops = NULL;
    request_unref(r);
    idup_start(d);
    idup_poll(true);
}

static struct idup *take_reserve(void)
{
    struct idup *d;

    lock_take(&in_flight.lock);
    d = reserve_taken ? NULL : &reserve;
    reserve_taken = true;
    lock_release(&in_flight.lock);
    return d;
}

/* Out of memory: reports that to the peers; the caller does not wait for them. */
static int idup_refuse(struct comm *comm, const struct members *members)
{
    int error = fail(MPI_ERR_NO_MEM, "no memory to duplicate a communicator");
    struct idup *d = take_reserve();

    if (!d) /* the reserve is in use: blocks, rather than leave the peers waiting */
        return make(members, NULL, error, NULL);
    *d = (struct idup){.parent = comm, .error = error};
    comm_ref(comm);
    make_agreement(&d->agreement, members, NULL, error);
    idup_start(d);
    return error;
}

int comm_idup_with_info(struct comm *comm, struct info *info, struct comm **newcomm, struct request **request)
{
    struct members members = make_everybody(comm);
    struct idup *d = idup_new(comm);

    if (!d)
        return idup_refuse(comm, &members);
    d->error = dup_prepare(comm, info, "MPI_Comm_idup_with_info", &d->comm);
    make_agreement(&d->agreement, &members, d->comm, d->error);
    if (d->error) {
        int error = d->error;

        idup_serve(d);
        return error;
    }
    *newcomm = d->comm;
    *request = d->request;
    request_ref(d->request); /* for the operation */
    idup_start(d);
    return MPI_SUCCESS;
}

int comm_idup(struct comm *comm, struct comm **newcomm, struct request **request)
{
    return comm_idup_with_info(comm, NULL, newcomm, request);
}
