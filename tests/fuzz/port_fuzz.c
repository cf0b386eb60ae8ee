/* Fuzzes what both ends of a port's TCP connection read before they believe each other (port_seal.h): a listener with
 * several callers, and a caller at whose addresses others answer. These say anything, or what they have heard. Only who
 * knows the secret may get through, and has the key of the connection then. */
#include "plain/clock.h"
#include "plain/port.h"
#include "plain/tcp_listener.h"

#include <mpi.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    OTHERS = 4,
    HEARD = 256
};

/* One at the other end. */
struct other {
    int fd, theirs; /* -1: none; the end that is tested */
    bool is_honest;
    bool has_lied; /* has said something that it should not */
    int words;     /* said by an honest one */
    struct port_auth auth;
};

static struct {
    const uint8_t *at, *end;
} input;
static struct other other[OTHERS];
static unsigned char heard[HEARD]; /* by all, last */
static size_t heard_size;
static struct port_name name = {.secret = "0123456789abcde", .tcp = 1, .addresses = 1};
static int listener = -1, events;

static void expect(bool truth)
{
    if (!truth)
        abort();
}

static int take_byte(void)
{
    return input.at < input.end ? *input.at++ : 0;
}

static void open_other(struct other *o, bool is_honest)
{
    int ends[2];

    expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    *o = (struct other){.fd = ends[0], .theirs = ends[1], .is_honest = is_honest};
}

static void close_other(struct other *o)
{
    if (o->fd >= 0)
        close(o->fd);
    o->fd = -1;
}

static void say(struct other *o, const void *bytes, size_t size)
{
    if (o->fd >= 0 && send(o->fd, bytes, size, MSG_NOSIGNAL) < 0)
        close_other(o);
}

static void lie(struct other *o)
{
    size_t size = (size_t)take_byte() % 80, left;
    bool repeats = take_byte() % 2;

    o->has_lied = true;
    if (repeats) {
        say(o, heard, size < heard_size ? size : heard_size);
        return;
    }
    left = (size_t)(input.end - input.at);
    size = size < left ? size : left;
    say(o, input.at, size);
    input.at += size;
}

static void listen_to(const struct other *o)
{
    ssize_t got = o->fd < 0 ? -1 : recv(o->fd, heard, sizeof heard, 0);

    heard_size = got > 0 ? (size_t)got : 0;
}

static bool other_hear(const struct other *o, void *word, size_t size)
{
    listen_to(o);
    if (heard_size < size)
        return false;
    memcpy(word, heard, size);
    return true;
}

static void be_a_caller(struct other *o)
{
    unsigned char call[PORT_CALL_SIZE], answer[PORT_ANSWER_SIZE], last[KEYED_HASH_SIZE];

    if (o->words == 0) {
        expect(port_auth_call(&o->auth, name.secret, call) == MPI_SUCCESS);
        say(o, call, sizeof call);
        o->words = 1;
    } else if (o->words == 1 && other_hear(o, answer, sizeof answer)) {
        expect(o->has_lied || port_auth_check(&o->auth, name.secret, answer, last));
        say(o, last, o->has_lied ? 0 : sizeof last);
        o->words = 2;
    }
}

static void be_a_listener(struct other *o)
{
    unsigned char call[PORT_CALL_SIZE], answer[PORT_ANSWER_SIZE];
    uint64_t tag;

    if (o->words || !other_hear(o, call, sizeof call))
        return;
    expect(port_auth_tag(name.secret, &tag) == MPI_SUCCESS && port_auth_take_call(&o->auth, tag, call));
    expect(port_auth_answer(&o->auth, name.secret, answer) == MPI_SUCCESS);
    say(o, answer, sizeof answer);
    o->words = 2;
}

static void act(struct other *o, int what, void (*be_honest)(struct other *))
{
    if (what == 0)
        close_other(o);
    else if (what < 4 && o->is_honest && !o->has_lied)
        be_honest(o);
    else if (what < 4 || what == 7)
        lie(o);
    else if (what == 4)
        listen_to(o);
}

/* What one end says the other understands. */
static void expect_same_key(struct port_seal *theirs, const struct other *o, enum port_side side)
{
    struct port_seal ours;
    unsigned char sealed[1 + KEYED_HASH_SIZE];
    char byte = 0;

    expect(port_seal_begin(&ours, side, &o->auth, name.secret) == MPI_SUCCESS && ours.side != theirs->side);
    expect(port_seal_put(theirs, "x", 1, sealed) == MPI_SUCCESS);
    expect(port_seal_take(&ours, sealed, &byte, 1) == MPI_SUCCESS && byte == 'x');
}

static void check_found(struct port_connection *found, enum port_side side)
{
    int fd = found->fd;
    struct other *o = other;

    while (o->theirs != fd) {
        o++;
        expect(o < other + OTHERS);
    }
    expect(o->is_honest && !o->has_lied && o->words == 2);
    expect_same_key(&found->seal, o, side);
    close(fd);
    o->theirs = -1;
}

static void fuzz_listener(void)
{
    static struct tcp_listener tcp;

    tcp = (struct tcp_listener){.listener = listener, .is_accepting = true};
    expect(port_auth_tag(name.secret, &tcp.tag) == MPI_SUCCESS);
    for (int i = 0; i < TCP_LISTENER_CALLERS; i++)
        tcp.caller[i].fd = -1;
    for (int i = 0; i < OTHERS; i++) {
        open_other(&other[i], take_byte() % 2);
        tcp.caller[i] = (struct unverified_caller){.fd = other[i].theirs, .since = clock_ns()};
    }
    while (input.at < input.end) {
        int what = take_byte();
        struct port_connection found;

        act(&other[what / 8 % OTHERS], what % 8, be_a_caller);
        found.fd = tcp_listener_look(&tcp, &name, events, 1, &found.seal);
        if (found.fd >= 0)
            check_found(&found, PORT_CALLER);
    }
    for (int i = 0; i < OTHERS; i++) {
        close_other(&other[i]);
        if (tcp.caller[i].fd >= 0)
            close(tcp.caller[i].fd);
    }
}

static void fuzz_caller(void)
{
    struct port_call call = {.name = name, .way[0].next = UINT64_MAX}; /* which nobody calls again */
    struct port_connection found = {.fd = -1};

    for (int i = 0; i < OTHERS; i++) {
        open_other(&other[i], take_byte() % 2);
        expect(port_auth_call(&call.auth[i].auth, name.secret, call.auth[i].call) == MPI_SUCCESS);
        call.attempt[call.attempts++] = (struct pollfd){.fd = other[i].theirs, .events = POLLOUT};
    }
    while (input.at < input.end && call.attempts && found.fd < 0) {
        int what = take_byte();

        act(&other[what / 8 % OTHERS], what % 8, be_a_listener);
        expect(port_call_await(&call, 0, &found) == MPI_SUCCESS || !call.attempts);
    }
    if (found.fd >= 0)
        check_found(&found, PORT_LISTENER);
    port_call_end(&call);
    for (int i = 0; i < OTHERS; i++)
        close_other(&other[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input.at = data;
    input.end = data + size;
    heard_size = 0;
    if (listener < 0) {
        listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        events = epoll_create1(EPOLL_CLOEXEC);
        expect(listen(listener, 1) == 0 && events >= 0 && keyed_hash_open() == MPI_SUCCESS);
    }
    if (take_byte() % 2)
        fuzz_listener();
    else
        fuzz_caller();
    return 0;
}
