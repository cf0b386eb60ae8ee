#include "dynamic/connect.h"

#include "base/clock.h"
#include "base/fail.h"
#include "comm/make/intercomm.h"
#include "comm/make/make.h"
#include "dynamic/port.h"
#include "info/info.h"
#include "net/card.h"
#include "net/net.h"
#include "p2p/p2p.h"
#include "progress/progress.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    VERSION = 5, /* counted up whenever what the roots send, or the messages between jobs, change */
    LOOK_MS = 10 /* longest time that waiting for the socket may hold up other progress */
};

#define NO_END UINT64_MAX

_Static_assert(sizeof(struct card) <= PORT_WORD_MAX, "the longest word");

static const char magic[8] = "inkling";

struct hello {
    char magic[8];
    uint32_t version, unused;
    uint64_t host;   /* net_host */
    uint64_t number; /* random */
};

static uint64_t connect_end_of(uint64_t patience_ns)
{
    return patience_ns ? clock_ns() + patience_ns : NO_END;
}

uint64_t connect_patience(void)
{
    return (uint64_t)hint_process.value[HINT_CONNECT_TIMEOUT];
}

/* False: the time is over. */
static bool await(int fd, short events, uint64_t end)
{
    struct pollfd p = {.fd = fd, .events = events};

    for (;;) {
        progress_poll();
        if (poll(&p, 1, LOOK_MS) == 1)
            return true;
        if (clock_ns() > end)
            return false;
    }
}

static int fail_at(const char *what)
{
    int error = errno == ENOTSOCK || errno == EBADF ? MPI_ERR_ARG : MPI_ERR_PORT;

    return fail(error, "the connection to the other job broke while %s: %s", what, strerror(errno));
}

static int connect_say(struct port_connection *c, const void *word, size_t size)
{
    unsigned char sealed[PORT_SEALED_MAX];
    int error = port_seal_put(&c->seal, word, size, sealed);
    ssize_t sent;

    if (error)
        return error;
    size = port_seal_size(&c->seal, size);
    sent = send(c->fd, sealed, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent == (ssize_t)size)
        return MPI_SUCCESS;
    if (sent >= 0)
        errno = ENOBUFS; /* a few bytes always fit into an idle socket */
    return fail_at("sending");
}

static int connect_receive(int fd, unsigned char *bytes, size_t size, uint64_t end)
{
    for (size_t got = 0; got < size;) {
        ssize_t n = 0;

        if (!await(fd, POLLIN, end))
            return fail(MPI_ERR_PORT, "the other job does not answer (INKLING_CONNECT_TIMEOUT)");
        n = recv(fd, bytes + got, size - got, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (n == 0)
            return fail(MPI_ERR_PORT, "the other job closed the connection");
        if (n < 0)
            return fail_at("receiving");
        got += (size_t)n;
    }
    return MPI_SUCCESS;
}

static int connect_hear(struct port_connection *c, void *word, size_t size, uint64_t end)
{
    unsigned char sealed[PORT_SEALED_MAX];
    int error = connect_receive(c->fd, sealed, port_seal_size(&c->seal, size), end);

    return error ? error : port_seal_take(&c->seal, sealed, word, size);
}

static int make_hello(struct hello *mine)
{
    *mine = (struct hello){.version = VERSION, .host = net_host()};
    memcpy(mine->magic, magic, sizeof magic);
    return keyed_number_make(&mine->number);
}

static int check_hello(const struct hello *theirs)
{
    if (memcmp(theirs->magic, magic, sizeof magic) != 0 || theirs->version != VERSION)
        return fail(MPI_ERR_PORT,
                    "at the other end is no process of this library, or one of another version");
    return MPI_SUCCESS;
}

/* By now both have opened the network, if they need it, or have failed to. */
static int swap_cards(struct port_connection *c, int error, uint64_t end, int *process)
{
    struct card mine = card_mine(), theirs;
    int sent = connect_say(c, &mine, sizeof mine);

    if (!sent)
        sent = connect_hear(c, &theirs, sizeof theirs, end);
    if (error || sent)
        return error ? error : sent;
    if (card_is_same(&theirs, &mine))
        return fail(MPI_ERR_PORT, "a process cannot connect to itself");
    return p2p_meet(&theirs, process);
}

/* The caller sends first and has the last word. An error of one becomes an error of both. */
static int swap_verdicts(struct port_connection *c, bool has_called, int error)
{
    int32_t mine = make_error_for_peers(error), theirs = 0;
    int sent = has_called ? connect_say(c, &mine, sizeof mine) : MPI_SUCCESS;

    if (!sent)
        sent =
            connect_hear(c, &theirs, sizeof theirs, has_called ? NO_END : connect_end_of(connect_patience()));
    if (!sent && !has_called)
        sent = connect_say(c, &mine, sizeof mine);
    if (error || sent)
        return error ? error : sent;
    return theirs ? fail(theirs, "the other job's root cannot reach this one") : MPI_SUCCESS;
}

/* has_called: 1 or 0; -1: the one with the lower number counts as the caller. */
static int shake_hands(struct port_connection *c, int has_called, uint64_t end, struct partner *partner)
{
    struct hello mine, theirs;
    int error = make_hello(&mine), process = -1;

    if (!error)
        error = connect_say(c, &mine, sizeof mine);
    if (!error)
        error = connect_hear(c, &theirs, sizeof theirs, end);
    if (!error)
        error = check_hello(&theirs);
    if (error)
        return error;
    if (has_called < 0)
        has_called = mine.number < theirs.number;
    if (!mine.host || mine.host != theirs.host)
        error = p2p_admit(true);
    error = swap_cards(c, error, end, &process);
    error = swap_verdicts(c, has_called, error);
    if (!error)
        *partner = (struct partner){.process = process,
                                    .context = has_called ? comm_context_of(mine.number, theirs.number)
                                                          : comm_context_of(theirs.number, mine.number),
                                    .has_called = has_called};
    return error;
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

/* If connecting to a caller fails, it is dropped and the next one awaited. */
int connect_await(const char *port, uint64_t patience_ns, struct partner *partner, bool *met)
{
    uint64_t end = connect_end_of(patience_ns);

    *met = false;
    do {
        struct port_connection caller;
        int error;

        progress_poll();
        error = port_accept(port, LOOK_MS, &caller);
        if (error)
            return error;
        if (caller.fd < 0)
            continue;
        *met = shake_hands(&caller, 0, connect_end_of(connect_patience()), partner) == MPI_SUCCESS;
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

int connect_call(const char *port, uint64_t patience_ns, struct partner *partner)
{
    uint64_t end = connect_end_of(patience_ns);
    struct port_call call;
    struct port_connection called = {.fd = -1};
    int error = port_call_begin(port, &call);

    if (error)
        return error;
    while (!error && called.fd < 0 && clock_ns() < end) {
        progress_poll();
        error = port_call_await(&call, LOOK_MS, &called);
    }
    port_call_end(&call);
    if (error)
        return error;
    if (called.fd < 0)
        return fail_late(port, patience_ns,
                         call.is_waiting ? "nobody is in MPI_Comm_accept on it"
                                         : "its host does not answer, or too many wait there");
    error = shake_hands(&called, 1, end, partner);
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
        error = connect_await(port, 0, &partner, &met);
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
        error = connect_call(port, connect_patience(), &partner);
    return connect_over(&partner, root, comm, error, info, "MPI_Comm_connect", newcomm);
}

int dynamic_join(int fd, struct comm **newcomm)
{
    struct port_connection own = {.fd = fd}; /* not sealed: there is no secret */
    struct partner partner;
    int error = p2p_admit(false);

    if (!error)
        error = shake_hands(&own, -1, connect_end_of(connect_patience()), &partner);
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
