#include "base/live.h"
#include "coll/coll.h"
#include "dynamic/dynamic.h"
#include "hint/hint.h"
#include "info/info.h"
#include "making/make.h"
#include "p2p/lane.h"
#include "p2p/lost.h"
#include "p2p/p2p.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/port.h"
#include "progress/progress.h"

#include <string.h>
#include <unistd.h>

static int count_port(int error)
{
    if (!error)
        live_add(LIVE_PORT, 1);
    return error;
}

int connect_open_port(char *name)
{
    return count_port(port_open(name, hint_process.text[HINT_OFI_INTERFACE]));
}

int connect_open_port_here(char *name)
{
    return count_port(port_open_here(name));
}

int connect_close_port(const char *name)
{
    int error = port_close(name);

    if (!error)
        live_add(LIVE_PORT, -1);
    return error;
}

enum {
    LOOK_MS = 10 /* longest time that waiting for a caller may hold up other progress */
};

uint64_t connect_patience(void)
{
    return (uint64_t)hint_value(&hint_process, HINT_CONNECT_TIMEOUT);
}

int connect_prepare(struct comm *comm, int root, int error)
{
    struct members members;
    struct agreement a;
    int sent;

    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "comm is an intercommunicator");
    if (!error)
        error = p2p_admit(false);
    members = make_everybody(comm);
    make_agreement(&a, &members, NULL, error);
    a.verdict.vote = (struct vote){.party[0] = {.word = (uint64_t)root, .ranks = 1, .first = comm->rank}};
    sent = agree(&a);
    if (error || sent)
        return error ? error : sent;
    if (a.verdict.error)
        return fail(a.verdict.error, "rank %d of comm cannot meet processes of other jobs",
                    a.verdict.culprit);
    if (vote_is_split(&a.verdict.vote))
        return fail(MPI_ERR_ROOT, "the ranks of comm name different roots; this one %d", root);
    return MPI_SUCCESS;
}

/* The others wait for this rank no more when a member is lost. */
static int check_members(struct comm *comm)
{
    int error;

    lane_take(&lanes[0]);
    error = net_survives() && lost_hits(comm)
                ? fail(net_loss_class(), "a rank of the communicator is lost while it meets another job")
                : MPI_SUCCESS;
    lane_release(&lanes[0]);
    return error;
}

/* If connecting to a caller fails, it is dropped and the next one awaited. */
int connect_await(struct comm *comm, const char *port, uint64_t patience_ns, struct partner *partner,
                  bool *met)
{
    uint64_t end = handshake_end_of(patience_ns);

    *met = false;
    do {
        struct port_connection caller;
        int error;

        progress_poll();
        error = check_members(comm);
        if (error)
            return error;
        error = port_accept(port, LOOK_MS, &caller);
        if (error)
            return error;
        if (caller.fd < 0)
            continue;
        *met = handshake_make(&caller, 0, handshake_end_of(connect_patience()), partner) == MPI_SUCCESS;
        close(caller.fd);
    } while (!*met && clock_ns() < end);
    return MPI_SUCCESS;
}

static int fail_late(const char *port, uint64_t patience_ns, const char *why)
{
    return fail(MPI_ERR_PORT,
                "port '%.*s': %s; gave up after %.1f seconds; accept there, or wait longer with "
                "INKLING_CONNECT_TIMEOUT",
                PORT_SHOWN, port, why, (double)patience_ns / 1e9);
}

int connect_call(struct comm *comm, const char *port, uint64_t patience_ns, struct partner *partner)
{
    uint64_t end = handshake_end_of(patience_ns);
    struct port_call call;
    struct port_connection called = {.fd = -1};
    int error = port_call_begin(port, &call);

    if (error)
        return error;
    while (!error && called.fd < 0 && clock_ns() < end) {
        progress_poll();
        error = check_members(comm);
        if (!error)
            error = port_call_await(&call, LOOK_MS, &called);
    }
    port_call_end(&call);
    if (error)
        return error;
    if (called.fd < 0)
        return fail_late(port, patience_ns,
                         call.is_waiting ? "nobody is in MPI_Comm_accept on it"
                                         : "its host does not answer, or too many wait there");
    error = handshake_make(&called, 1, end, partner);
    close(called.fd);
    if (error && clock_ns() >= end)
        return fail_late(port, patience_ns, "nobody is in MPI_Comm_accept on it");
    return error;
}

/* Makes the roots' communicator; the caller is rank 0. */
static int pair_with(const struct partner *partner, struct comm *comm, struct bridge *b)
{
    int both[2] = {partner->has_called ? group_me : partner->process,
                   partner->has_called ? partner->process : group_me};
    struct group *pair;
    int error = group_new_in(comm->session, 2, both, &pair);

    if (error)
        return error;
    error = comm_new(0, pair, &b->peer);
    group_unref(pair);
    if (error)
        return error;
    comm_open(b->peer, partner->context);
    b->remote_leader = partner->has_called;
    return MPI_SUCCESS;
}

int connect_over(const struct partner *partner, int root, struct comm *comm, int error, struct info *info,
                 const char *call, struct comm **newcomm)
{
    struct bridge b = {.local = comm, .leader = root, .tag = make_program_tag(0)};

    if (!error && comm->rank == root)
        error = pair_with(partner, comm, &b);
    error = intercomm_create(&b, error, info, call, newcomm);
    if (b.peer)
        make_discard(b.peer);
    return error;
}

int dynamic_accept(const char *port, struct info *info, int root, struct comm *comm, int error,
                   struct comm **newcomm)
{
    struct partner partner;
    bool met;

    error = connect_prepare(comm, root, error);
    if (error)
        return error;
    if (comm->rank == root)
        error = connect_await(comm, port, 0, &partner, &met);
    return connect_over(&partner, root, comm, error, info, "MPI_Comm_accept", newcomm);
}

int dynamic_connect(const char *port, struct info *info, int root, struct comm *comm, int error,
                    struct comm **newcomm)
{
    struct partner partner;

    error = connect_prepare(comm, root, error);
    if (error)
        return error;
    if (comm->rank == root)
        error = connect_call(comm, port, connect_patience(), &partner);
    return connect_over(&partner, root, comm, error, info, "MPI_Comm_connect", newcomm);
}

int dynamic_join(int fd, struct comm **newcomm)
{
    struct port_connection own = {.fd = fd}; /* not sealed: there is no secret */
    struct partner partner;
    int error = p2p_admit(false);

    if (!error)
        error = handshake_make(&own, -1, handshake_end_of(connect_patience()), &partner);
    if (error == MPI_ERR_UNSUPPORTED_OPERATION) { /* both know it, and nothing is left on the socket */
        *newcomm = NULL;
        return MPI_SUCCESS;
    }
    return error ? error : connect_over(&partner, 0, &comm_self, MPI_SUCCESS, NULL, "MPI_Comm_join", newcomm);
}

/* Checks the root's arguments; elsewhere *info is NULL. */
static int take_root(const char *port, MPI_Info handle, int root, const struct comm *comm, struct info **info)
{
    *info = NULL;
    if (comm->rank != root)
        return MPI_SUCCESS;
    if (!port)
        return fail(MPI_ERR_PORT, "port_name is NULL");
    *info = handle == MPI_INFO_NULL ? NULL : info_find(handle);
    if (handle != MPI_INFO_NULL && !*info)
        return fail(MPI_ERR_INFO, "info is no info object, or one that has been freed");
    return MPI_SUCCESS;
}

int dynamic_accept_at_root(const char *port, MPI_Info info, int root, struct comm *comm,
                           struct comm **newcomm)
{
    struct info *hints;
    int error = take_root(port, info, root, comm, &hints);

    return dynamic_accept(port, hints, root, comm, error, newcomm);
}

int dynamic_connect_at_root(const char *port, MPI_Info info, int root, struct comm *comm,
                            struct comm **newcomm)
{
    struct info *hints;
    int error = take_root(port, info, root, comm, &hints);

    return dynamic_connect(port, hints, root, comm, error, newcomm);
}
