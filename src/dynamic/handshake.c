#include "dynamic/handshake.h"

#include "hint/hint.h"
#include "making/make.h"
#include "net/card.h"
#include "net/net.h"
#include "p2p/p2p.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

enum {
    LOOK_MS = 10 /* longest time that waiting for the socket may hold up other progress */
};

#define NO_END UINT64_MAX

_Static_assert(sizeof(struct card) <= PORT_WORD_MAX, "the longest word");

static const char magic[8] = "inkling";

uint64_t handshake_end_of(uint64_t patience_ns)
{
    return patience_ns ? clock_ns() + patience_ns : NO_END;
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

static int handshake_say(struct port_connection *c, const void *word, size_t size)
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

static int handshake_receive(int fd, unsigned char *bytes, size_t size, uint64_t end)
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

static int handshake_receive_word(struct port_connection *c, void *word, size_t size, uint64_t end)
{
    unsigned char sealed[PORT_SEALED_MAX];
    int error = handshake_receive(c->fd, sealed, port_seal_size(&c->seal, size), end);

    return error ? error : port_seal_take(&c->seal, sealed, word, size);
}

static int make_hello(struct hello *mine)
{
    *mine = (struct hello){.version = HANDSHAKE_VERSION, .host = net_host()};
    memcpy(mine->magic, magic, sizeof magic);
    return keyed_number_make(&mine->number);
}

static int check_hello(const struct hello *theirs)
{
    if (memcmp(theirs->magic, magic, sizeof magic) != 0 || theirs->version != HANDSHAKE_VERSION)
        return fail(MPI_ERR_PORT,
                    "at the other end is no process of this library, or one of another version");
    return MPI_SUCCESS;
}

/* By now both have opened the network, if they need it, or have failed to. */
static int swap_cards(struct port_connection *c, int error, uint64_t end, int *process)
{
    struct card mine = card_mine(), theirs;
    int sent = handshake_say(c, &mine, sizeof mine);

    if (!sent)
        sent = handshake_receive_word(c, &theirs, sizeof theirs, end);
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
    int sent = has_called ? handshake_say(c, &mine, sizeof mine) : MPI_SUCCESS;

    if (!sent)
        sent = handshake_receive_word(
            c, &theirs, sizeof theirs,
            has_called ? NO_END
                       : handshake_end_of((uint64_t)hint_value(&hint_process, HINT_CONNECT_TIMEOUT)));
    if (!sent && !has_called)
        sent = handshake_say(c, &mine, sizeof mine);
    if (error || sent)
        return error ? error : sent;
    theirs = theirs < 0 ? MPI_ERR_OTHER : make_error_for_peers(theirs);
    return theirs ? fail(theirs, "the other job's root cannot reach this one") : MPI_SUCCESS;
}

int handshake_make(struct port_connection *c, int has_called, uint64_t end, struct partner *partner)
{
    struct hello mine, theirs;
    int error = make_hello(&mine), process = -1;

    port_limit_silence(c, (uint64_t)hint_value(&hint_process, HINT_CONNECT_TIMEOUT));
    if (!error)
        error = handshake_say(c, &mine, sizeof mine);
    if (!error)
        error = handshake_receive_word(c, &theirs, sizeof theirs, end);
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
