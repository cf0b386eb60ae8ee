#include "plain/port.h"

#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/host_id.h"
#include "plain/private.h"
#include "plain/socket.h"
#include "plain/tcp_listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <mpi.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Returns the number of characters written. */
static int format_address(const struct in6_addr *address, char *text, size_t size)
{
    bool is_v4 = IN6_IS_ADDR_V4MAPPED(address);

    inet_ntop(is_v4 ? AF_INET : AF_INET6, is_v4 ? &address->s6_addr[12] : address->s6_addr, text,
              (socklen_t)size);
    return (int)strlen(text);
}

void port_name_format(const struct port_name *name, char *text)
{
    size_t size = MPI_MAX_PORT_NAME;
    int used = snprintf(text, size, "inkling-port:%016" PRIx64 ":%x:%016" PRIx64, name->host, name->user,
                        name->number);

    if (name->addresses == 0)
        return;
    text[used++] = ':';
    keyed_secret_format(name->secret, text + used);
    used += SECRET_DIGITS;
    used += snprintf(text + used, size - (size_t)used, ":%u", name->tcp);
    for (int i = 0; i < name->addresses; i++) {
        text[used++] = i ? ',' : ':';
        used += format_address(&name->address[i], text + used, size - (size_t)used);
    }
}

static bool parse_address(const char *text, struct in6_addr *address)
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    struct in_addr v4;

    if (inet_pton(AF_INET, text, &v4) != 1)
        return inet_pton(AF_INET6, text, address) == 1;
    memcpy(address->s6_addr, mapped, sizeof mapped);
    memcpy(address->s6_addr + sizeof mapped, &v4, sizeof v4);
    return true;
}

/* SECRET:TCP:ADDRESS,... */
static bool parse_network(char *text, struct port_name *name)
{
    char *rest = NULL;
    int used = 0;

    if (!keyed_secret_parse(text, name->secret))
        return false;
    text += SECRET_DIGITS;
    if (sscanf(text, ":%5" SCNu16 ":%n", &name->tcp, &used) != 1 || used == 0)
        return false;
    for (char *word = strtok_r(text + used, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        if (name->addresses == PORT_ADDRESSES || !parse_address(word, &name->address[name->addresses++]))
            return false;
    return name->addresses > 0;
}

static bool port_name_parse_fields(const char *text, struct port_name *name)
{
    char copy[MPI_MAX_PORT_NAME];
    int used = 0;

    *name = (struct port_name){0};
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy ||
        sscanf(copy, "inkling-port:%16" SCNx64 ":%8x:%16" SCNx64 "%n", &name->host, &name->user,
               &name->number, &used) != 3)
        return false;
    return copy[used] == 0 || (copy[used] == ':' && parse_network(copy + used + 1, name));
}

int port_name_parse(const char *text, struct port_name *name)
{
    char again[MPI_MAX_PORT_NAME];

    if (port_name_parse_fields(text, name)) {
        port_name_format(name, again);
        if (strcmp(again, text) == 0)
            return MPI_SUCCESS;
    }
    return fail(MPI_ERR_PORT, "'%.*s' is no name of a port; MPI_Open_port gives them", PORT_SHOWN, text);
}

enum {
    BACKLOG = 128,
    EVENT_LOCAL = 1, /* data of epoll's events */
    EVENT_TCP = 2,
    AGAIN_MS = 200, /* between tries to reach an address */
    RESETS_MAX = 10 /* of an address, until somebody else is taken to be there */
};

struct port {
    struct port_name name;
    int listener; /* for callers of this host */
    int events;   /* readable when somebody may have called */
    struct tcp_listener tcp;
    struct port *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the list and what is in it */
static struct port *ports;

static socklen_t socket_name(uint64_t number, struct sockaddr_un *name)
{
    char rest[40];

    snprintf(rest, sizeof rest, "port-%016" PRIx64, number);
    return socket_name_here(rest, name);
}

/* With the mutex. */
static struct port **port_find(const char *text)
{
    struct port_name name;
    struct port **at;

    if (port_name_parse(text, &name))
        return NULL;
    for (at = &ports; *at && (*at)->name.number != name.number; at = &(*at)->next)
        ;
    if (*at)
        return at;
    fail(MPI_ERR_PORT, "port '%.*s' was not opened by this process, or has been closed", PORT_SHOWN, text);
    return NULL;
}

static int listen_here(struct port *p)
{
    struct sockaddr_un name;
    socklen_t length = socket_name(p->name.number, &name);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = EVENT_LOCAL};

    p->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    p->events = epoll_create1(EPOLL_CLOEXEC);
    private_add(p->listener);
    if (p->listener >= 0 && p->events >= 0 && bind(p->listener, (struct sockaddr *)&name, length) == 0 &&
        listen(p->listener, BACKLOG) == 0 && epoll_ctl(p->events, EPOLL_CTL_ADD, p->listener, &event) == 0)
        return MPI_SUCCESS;
    return fail(MPI_ERR_OTHER, "cannot open a port: %s", strerror(errno));
}

static void close_port(struct port *p)
{
    tcp_listener_close(&p->tcp);
    if (p->listener >= 0)
        private_close(p->listener);
    if (p->events >= 0)
        close(p->events);
    free(p);
}

static int open_port(struct port *p, bool to_other_hosts, const char *interface)
{
    int error;

    p->name.host = host_mine();
    p->name.user = getuid();
    error = keyed_number_make(&p->name.number);
    if (!error)
        error = listen_here(p);
    return error || !to_other_hosts ? error
                                    : tcp_listener_open(&p->tcp, &p->name, p->events, EVENT_TCP, interface);
}

static int add_port(char *name, bool to_other_hosts, const char *interface)
{
    struct port *p = malloc(sizeof *p);
    int error;

    if (!p)
        return fail(MPI_ERR_NO_MEM, "no memory for a port");
    *p = (struct port){.listener = -1, .events = -1, .tcp.listener = -1};
    error = open_port(p, to_other_hosts, interface);
    if (error) {
        close_port(p);
        return error;
    }
    port_name_format(&p->name, name);
    pthread_mutex_lock(&mutex);
    p->next = ports;
    ports = p;
    pthread_mutex_unlock(&mutex);
    return MPI_SUCCESS;
}

int port_open(char *name, const char *interface)
{
    return add_port(name, true, interface);
}

int port_open_here(char *name)
{
    return add_port(name, false, NULL);
}

int port_close(const char *name)
{
    struct port **at, *p = NULL;

    pthread_mutex_lock(&mutex);
    at = port_find(name);
    if (at) {
        p = *at;
        *at = p->next;
    }
    pthread_mutex_unlock(&mutex);
    if (!p)
        return fail_class();
    close_port(p);
    return MPI_SUCCESS;
}

int port_dup_events(const char *name, int *events)
{
    struct port **at;

    pthread_mutex_lock(&mutex);
    at = port_find(name);
    *events = at ? fcntl((*at)->events, F_DUPFD_CLOEXEC, 0) : -1;
    pthread_mutex_unlock(&mutex);
    if (*events >= 0)
        return MPI_SUCCESS;
    return at ? fail(MPI_ERR_OTHER, "cannot listen at a port: %s", strerror(errno)) : fail_class();
}

/* With the mutex. */
static int accept_local(const struct port *p)
{
    int fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd >= 0 && !socket_is_own_user(fd)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int port_accept(const char *name, int milliseconds, struct port_connection *connection)
{
    struct pollfd caller = {.events = POLLIN};
    int error = port_dup_events(name, &caller.fd);
    struct port **at;

    if (error)
        return error;
    *connection = (struct port_connection){.fd = -1};
    poll(&caller, 1, milliseconds);
    pthread_mutex_lock(&mutex);
    at = port_find(name);
    if (at)
        connection->fd = accept_local(*at);
    if (at && connection->fd < 0)
        connection->fd =
            tcp_listener_look(&(*at)->tcp, &(*at)->name, (*at)->events, EVENT_TCP, &connection->seal);
    pthread_mutex_unlock(&mutex);
    close(caller.fd);
    return at ? MPI_SUCCESS : fail_class();
}

static int fail_to_connect(const struct port_call *c)
{
    char name[MPI_MAX_PORT_NAME];

    port_name_format(&c->name, name);
    if (c->refused == EPROTO)
        return fail(MPI_ERR_PORT, "who answers at port '%.*s' is not the process that has opened it",
                    PORT_SHOWN, name);
    if (c->refused == ECONNREFUSED)
        return fail(MPI_ERR_PORT, "nobody has opened port '%.*s', or it has been closed", PORT_SHOWN, name);
    return fail(MPI_ERR_PORT, "cannot connect to port '%.*s': %s", PORT_SHOWN, name, strerror(c->refused));
}

/* Of several failed attempts, one that a host has refused says most, or one that another process answers. */
static void note_refusal(struct port_call *c, int code)
{
    if (c->refused != EPROTO && (c->refused != ECONNREFUSED || code == EPROTO))
        c->refused = code;
}

/* Its descriptor is then nobody's. */
static int remove_attempt(struct port_call *c, int attempt)
{
    int fd = c->attempt[attempt].fd;

    c->attempts--;
    c->attempt[attempt] = c->attempt[c->attempts];
    c->auth[attempt] = c->auth[c->attempts];
    return fd;
}

/* Takes a source port by which a SYN without data passes (plain/socket.h), if one is free. */
static void bind_source(int fd, bool is_v4, const struct port_attempt *a)
{
    uint64_t tag;
    bool is_bound = false;

    memcpy(&tag, a->call, sizeof tag);
    for (unsigned i = 0; i < UINT16_MAX / SOCKET_FILTER_PORTS && !is_bound; i++) {
        unsigned times = 1 + (a->auth.caller[0] + i) % (UINT16_MAX / SOCKET_FILTER_PORTS);
        uint16_t port = htons((uint16_t)(times * SOCKET_FILTER_PORTS + socket_filter_source(tag)));
        struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = port};
        struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = port};

        is_bound = (is_v4 ? bind(fd, (struct sockaddr *)&v4, sizeof v4)
                          : bind(fd, (struct sockaddr *)&v6, sizeof v6)) == 0;
    }
}

/* The SYN has the first word, for which a port that strangers crowd at looks (tcp_listener.h), but in one of the tries: not
 * every network lets that pass. Returns 0, or an errno. */
static int begin_connection(int fd, const struct sockaddr *there, socklen_t size, struct port_attempt *a)
{
    if (a->number % PORT_TRIES != 1 &&
        setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, &(int){1}, sizeof(int)) == 0) {
        ssize_t sent = sendto(fd, a->call, sizeof a->call, MSG_FASTOPEN | MSG_NOSIGNAL, there, size);

        a->sent = sent > 0 ? (unsigned)sent : 0;
        if (sent >= 0 || errno != EOPNOTSUPP) /* which this system may be set to */
            return sent >= 0 || errno == EINPROGRESS ? 0 : errno;
    }
    bind_source(fd, there->sa_family == AF_INET, a);
    return connect(fd, there, size) == 0 || errno == EINPROGRESS ? 0 : errno;
}

/* Begins to connect; an address that cannot be used is closed. */
static void set_out(struct port_call *c, int way)
{
    const struct in6_addr *address = &c->name.address[way];
    struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(c->name.tcp), .sin6_addr = *address};
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(c->name.tcp)};
    struct port_attempt a = {.way = way, .number = c->way[way].tries++};
    bool is_v4 = IN6_IS_ADDR_V4MAPPED(address);
    int s = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int code = s < 0 ? errno : port_auth_call(&a.auth, c->name.secret, a.call) ? EIO : 0;

    memcpy(&v4.sin_addr, &address->s6_addr[12], sizeof v4.sin_addr);
    if (!code)
        code = is_v4 ? begin_connection(s, (struct sockaddr *)&v4, sizeof v4, &a)
                     : begin_connection(s, (struct sockaddr *)&v6, sizeof v6, &a);
    if (code == 0) {
        c->auth[c->attempts] = a;
        c->attempt[c->attempts++] = (struct pollfd){.fd = s, .events = POLLOUT};
        return;
    }
    note_refusal(c, code);
    c->way[way].is_closed = a.number == 0;
    if (s >= 0)
        close(s);
}

/* Whether the other end's kernel has the first word of one of them; while its queue is full it forgets connections again. */
static bool is_queued(const struct port_call *c, int way)
{
    for (int i = 0; i < c->attempts; i++) {
        int waits = 1;

        if (c->auth[i].way == way && c->attempt[i].events == POLLIN &&
            ioctl(c->attempt[i].fd, SIOCOUTQ, &waits) == 0 && waits == 0)
            return true;
    }
    return false;
}

/* Ends the oldest attempt if there are too many. The first stays: the other host may be far away, and the network slow. */
static void drop_oldest_attempt(struct port_call *c, int way)
{
    int count = 0, oldest = -1;

    for (int i = 0; i < c->attempts; i++) {
        const struct port_attempt *a = &c->auth[i];

        count += a->way == way;
        if (a->way == way && a->number > 0 && (oldest < 0 || a->number < c->auth[oldest].number))
            oldest = i;
    }
    if (count >= PORT_TRIES)
        close(remove_attempt(c, oldest));
}

/* Tries each address whose time has come. */
static void try_again(struct port_call *c)
{
    uint64_t now = clock_ns();

    for (int i = 0; i < c->name.addresses; i++) {
        if (c->way[i].is_closed || now < c->way[i].next)
            continue;
        c->way[i].next = now + (uint64_t)AGAIN_MS * 1000000;
        if (is_queued(c, i))
            continue;
        drop_oldest_attempt(c, i);
        set_out(c, i);
    }
}

void port_limit_silence(const struct port_connection *connection, uint64_t timeout_ns)
{
    tcp_listener_limit_silence(connection->fd, timeout_ns);
}

int port_call_begin(const char *name, struct port_call *call)
{
    struct port_name parsed;
    int error = port_name_parse(name, &parsed);

    if (!error && parsed.host != host_mine())
        error = keyed_hash_open();
    if (error)
        return error;
    *call = (struct port_call){.name = parsed, .is_local = parsed.host == host_mine()};
    if (call->is_local && parsed.user != getuid())
        return fail(MPI_ERR_PORT, "port '%.*s' is another user's", PORT_SHOWN, name);
    if (!call->is_local && parsed.addresses == 0)
        return fail(MPI_ERR_PORT, "port '%.*s' is on another host, which has no network", PORT_SHOWN, name);
    if (!call->is_local)
        try_again(call);
    return MPI_SUCCESS;
}

/* If too many callers are waiting already, waits and lets the caller try again. */
static int call_here(struct port_call *c, int milliseconds, int *fd)
{
    struct sockaddr_un address;
    socklen_t length = socket_name(c->name.number, &address);
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    c->refused = s >= 0 && connect(s, (struct sockaddr *)&address, length) == 0 ? 0 : errno;
    if (!c->refused && socket_is_own_user(s)) {
        *fd = s;
        return MPI_SUCCESS;
    }
    if (!c->refused)
        c->refused = ECONNREFUSED; /* the socket of that name is another user's */
    if (s >= 0)
        close(s);
    if (c->refused != EAGAIN)
        return fail_to_connect(c);
    poll(NULL, 0, milliseconds);
    return MPI_SUCCESS;
}

/* Sends what is left of the first word once the connection is made. Returns 0, or an errno. */
static int begin_auth(int fd, struct port_attempt *a)
{
    int code = 0;
    socklen_t size = sizeof code;
    size_t rest = sizeof a->call - a->sent;

    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size) < 0 || code != 0)
        return code ? code : errno;
    return rest == 0 || send(fd, a->call + a->sent, rest, MSG_NOSIGNAL) == (ssize_t)rest ? 0 : errno;
}

/* Reads the answer, and sends the last word. Returns 0, EAGAIN if not all is there, or another errno. */
static int end_auth(int fd, struct port_attempt *a, const unsigned char *secret)
{
    unsigned char last[KEYED_HASH_SIZE];
    ssize_t got = recv(fd, a->answer + a->received, sizeof a->answer - a->received, MSG_DONTWAIT);

    if (got < 0)
        return errno == EINTR ? EAGAIN : errno;
    if (got == 0)
        return ECONNRESET;
    a->received += (unsigned)got;
    if (a->received < sizeof a->answer)
        return EAGAIN;
    if (!port_auth_check(&a->auth, secret, a->answer, last))
        return EPROTO;
    if (port_seal_begin(&a->seal, PORT_CALLER, &a->auth, secret))
        return ENOMEM;
    return send(fd, last, sizeof last, MSG_NOSIGNAL) == sizeof last ? 0 : errno;
}

/* Goes on with an attempt that is ready. Returns 0 when both ends have proved themselves, EAGAIN, or why it has
 * failed. */
static int advance(struct port_call *c, int attempt)
{
    struct pollfd *p = &c->attempt[attempt];
    int code;

    if (p->events == POLLIN)
        return end_auth(p->fd, &c->auth[attempt], c->name.secret);
    code = begin_auth(p->fd, &c->auth[attempt]);
    p->events = POLLIN;
    c->is_waiting = c->is_waiting || !code;
    return code ? code : EAGAIN;
}

/* Who was disconnected may have met a crowd. Other failures say that nobody has opened the port at this address. */
static void give_up_attempt(struct port_call *c, int attempt, int code)
{
    struct port_way *way = &c->way[c->auth[attempt].way];
    bool is_reset = code == ECONNRESET || code == EPIPE || code == ETIMEDOUT || code == EADDRNOTAVAIL;

    way->resets += is_reset;
    note_refusal(c, way->resets == RESETS_MAX ? EPROTO : code);
    close(remove_attempt(c, attempt));
    if (!is_reset || way->resets == RESETS_MAX)
        way->is_closed = true;
}

/* Whether an address is left to be tried. */
static bool is_hopeful(struct port_call *c)
{
    bool any = false;

    for (int i = c->attempts - 1; i >= 0; i--)
        if (c->way[c->auth[i].way].is_closed)
            close(remove_attempt(c, i));
    for (int i = 0; i < c->name.addresses; i++)
        any = any || !c->way[i].is_closed;
    return any;
}

int port_call_await(struct port_call *call, int milliseconds, struct port_connection *connection)
{
    int patience = milliseconds < AGAIN_MS ? milliseconds : AGAIN_MS;

    *connection = (struct port_connection){.fd = -1};
    if (call->is_local)
        return call_here(call, milliseconds, &connection->fd);
    try_again(call);
    if (is_hopeful(call) && poll(call->attempt, (nfds_t)call->attempts, patience) < 0)
        return MPI_SUCCESS;
    for (int i = call->attempts - 1; i >= 0 && connection->fd < 0; i--) {
        int code = call->attempt[i].revents ? advance(call, i) : EAGAIN;

        if (code == 0) {
            connection->seal = call->auth[i].seal;
            connection->fd = remove_attempt(call, i);
        } else if (code != EAGAIN) {
            give_up_attempt(call, i, code);
        }
    }
    return connection->fd >= 0 || is_hopeful(call) ? MPI_SUCCESS : fail_to_connect(call);
}

void port_call_end(struct port_call *call)
{
    while (call->attempts)
        close(remove_attempt(call, 0));
}
