#include "net/network/heartbeat.h"

#include "boot/boot.h"
#include "boot/host.h"
#include "hint/hint.h"
#include "net/network/proof.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/socket.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <mpi.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BEATS = 5, /* in inkling_peer_timeout */
    REFUSALS = 2,
    RECEIVED_AT_ONCE = 64,
    QUESTION = 1,
    ANSWER = 2,
    DEATH = 3 /* its receiver is lost to its sender */
};

#define SURVIVING_NS                                                                                         \
    ((uint64_t)200 * 1000 * 1000) /* at most, between questions in a job that survives deaths */

struct beat {
    uint64_t tag;       /* the receiver's verification tag; first, for the socket's filter */
    uint64_t reply_tag; /* in questions: the sender's */
    uint64_t job;       /* of the sender */
    uint32_t rank;      /* of the sender in its job */
    uint16_t kind;
    uint16_t is_polling; /* the sender has polled since its last question */
    uint64_t proof;
    uint64_t sent; /* in questions: packets to the receiver, some time before it polled */
};

struct heartbeat_peer {
    int process;
    uint64_t job;
    int rank;               /* in its job */
    uint64_t tag;           /* its verification tag */
    uint64_t question;      /* the proof of this process's questions */
    uint64_t answer, death; /* and of what the peer may say to them */
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
    int unanswered;
    int refused;                /* answers in a row of its host that no process has its port */
    uint64_t sent, sent_before; /* packets to it, at the last count and the one before */
    uint64_t received, told;    /* packets from it at the last count, and how many it says there are */
    bool has_asked;             /* since the last count, and it polls */
    int stuck;                  /* counts in a row at which packets were missing, and none had come */
    bool is_heard;              /* it, or its host, has answered */
    bool is_lost, is_reported;
    char why[140];
};

static struct {
    pthread_mutex_t mutex; /* guards all below but unreported and fd */
    struct heartbeat_peer *peer;
    int count, capacity;
    uint64_t next_ns, every_ns;
    int most;          /* questions in a row without an answer; 0: as many as there are */
    uint64_t job, tag; /* of this process; its verification tag */
    const struct wire_address *mine;
    int fd, port;
    _Atomic bool has_polled;  /* since the last question; relaxed */
    _Atomic bool wants_count; /* relaxed: a count too late does no harm */
    _Atomic int unreported;   /* lost peers not reported yet; relaxed: the mutex orders the peers' data */
} heartbeat = {.mutex = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

static bool is_ip(const struct sockaddr *address, size_t length)
{
    return (length >= sizeof(struct sockaddr_in) && address->sa_family == AF_INET) ||
           (length >= sizeof(struct sockaddr_in6) && address->sa_family == AF_INET6);
}

static socklen_t heartbeat_size_of(const struct heartbeat_peer *p)
{
    return p->address.any.sa_family == AF_INET ? sizeof p->address.v4 : sizeof p->address.v6;
}

static bool set_address(struct heartbeat_peer *p, const void *address, size_t length, int port)
{
    struct sockaddr head;

    memset(p, 0, sizeof *p);
    if (length < sizeof head)
        return false;
    memcpy(&head, address, sizeof head);
    if (!is_ip(&head, length))
        return false;
    if (head.sa_family == AF_INET) {
        memcpy(&p->address.v4, address, sizeof p->address.v4);
        p->address.v4.sin_port = htons((uint16_t)port);
    } else {
        memcpy(&p->address.v6, address, sizeof p->address.v6);
        p->address.v6.sin6_port = htons((uint16_t)port);
    }
    return true;
}

/* What datagrams for the process with this key begin with. */
static int tag_of(const unsigned char *key, uint64_t *tag)
{
    return proof_of(key, PROOF_TAG, 0, 0, tag);
}

static int port_of(const struct heartbeat_peer *p)
{
    return ntohs(p->address.any.sa_family == AF_INET ? p->address.v4.sin_port : p->address.v6.sin6_port);
}

/* How often to ask. Who asks often learns soon that a process has died. */
static void set_pace(uint64_t timeout, bool survives)
{
    heartbeat.every_ns = timeout / BEATS;
    heartbeat.most = BEATS;
    if (!survives || (timeout && heartbeat.every_ns <= SURVIVING_NS))
        return;
    heartbeat.every_ns = SURVIVING_NS;
    heartbeat.most = (int)(timeout / SURVIVING_NS);
}

/* Hosts answer datagrams for processes that have died, which is noted for the socket. False: this system does not. */
static bool ask_for_refusals(int family)
{
    int on = 1;

    return family == AF_INET ? setsockopt(heartbeat.fd, IPPROTO_IP, IP_RECVERR, &on, sizeof on) == 0
                             : setsockopt(heartbeat.fd, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof on) == 0;
}

int heartbeat_open(const struct wire_address *mine)
{
    bool survives = hint_process.value[HINT_SURVIVE];
    struct heartbeat_peer self;
    socklen_t size;
    int error;

    set_pace((uint64_t)hint_process.value[HINT_PEER_TIMEOUT], survives);
    heartbeat.job = host_hash(boot.job);
    heartbeat.mine = mine;
    error = tag_of(mine->key, &heartbeat.tag);
    if (error)
        return error;
    if (!set_address(&self, mine->bytes, mine->length, 0))
        return MPI_SUCCESS;
    size = heartbeat_size_of(&self);
    heartbeat.fd = socket(self.address.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (heartbeat.fd >= 0)
        socket_filter_set(heartbeat.fd, heartbeat.tag); /* else receive_one drops what strangers send */
    if (heartbeat.fd < 0 || bind(heartbeat.fd, &self.address.any, size) < 0 ||
        getsockname(heartbeat.fd, &self.address.any, &size) < 0) {
        heartbeat_close();
        return fail(MPI_ERR_OTHER, "no UDP socket on this host's address: %s", strerror(errno));
    }
    heartbeat.port = port_of(&self);
    if (survives && !ask_for_refusals(self.address.any.sa_family))
        return fail(MPI_ERR_OTHER, "this system does not tell of processes that have died: %s",
                    strerror(errno));
    return MPI_SUCCESS;
}

void heartbeat_close(void)
{
    if (heartbeat.fd >= 0)
        close(heartbeat.fd);
    free(heartbeat.peer);
    heartbeat.peer = NULL;
    heartbeat.count = heartbeat.capacity = heartbeat.port = 0;
    heartbeat.fd = -1;
    atomic_store_explicit(&heartbeat.unreported, 0, memory_order_relaxed);
}

int heartbeat_port(void)
{
    return heartbeat.port;
}

int heartbeat_fd(void)
{
    return heartbeat.fd;
}

static bool heartbeat_make_room(void)
{
    int capacity = heartbeat.capacity ? 2 * heartbeat.capacity : 16;
    struct heartbeat_peer *bigger;

    if (heartbeat.count < heartbeat.capacity)
        return true;
    bigger = realloc(heartbeat.peer, (size_t)capacity * sizeof *bigger);
    if (!bigger)
        return false;
    heartbeat.peer = bigger;
    heartbeat.capacity = capacity;
    return true;
}

int heartbeat_add(int process, uint64_t job, int rank, const struct wire_address *address)
{
    struct heartbeat_peer p = {0};
    bool room;
    int error;

    if (address->port == 0 || !set_address(&p, address->bytes, address->length, address->port))
        p.address.any.sa_family = AF_UNSPEC; /* never asked; heartbeat_lose may mark it */
    p.process = process;
    p.job = job;
    p.rank = rank;
    error = tag_of(address->key, &p.tag);
    if (!error)
        error = proof_of(address->key, PROOF_QUESTION, heartbeat.job, (uint32_t)boot.rank, &p.question);
    if (!error)
        error = proof_of(address->key, PROOF_ANSWER, heartbeat.job, (uint32_t)boot.rank, &p.answer);
    if (!error)
        error = proof_of(address->key, PROOF_DEATH, heartbeat.job, (uint32_t)boot.rank, &p.death);
    if (error)
        return error;
    pthread_mutex_lock(&heartbeat.mutex);
    room = heartbeat_make_room();
    if (room)
        heartbeat.peer[heartbeat.count++] = p;
    pthread_mutex_unlock(&heartbeat.mutex);
    return room ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory for one more peer");
}

/* With the mutex. */
static struct heartbeat_peer *heartbeat_find(int process)
{
    for (int i = 0; i < heartbeat.count; i++)
        if (heartbeat.peer[i].process == process)
            return &heartbeat.peer[i];
    return NULL;
}

/* With the mutex. */
static struct heartbeat_peer *heartbeat_find_sender(const struct beat *b)
{
    for (int i = 0; i < heartbeat.count; i++)
        if (heartbeat.peer[i].job == b->job && heartbeat.peer[i].rank == (int)b->rank)
            return &heartbeat.peer[i];
    return NULL;
}

/* With the mutex. */
static void lose(struct heartbeat_peer *p, const char *why)
{
    bool may_be_barred = p->address.any.sa_family != AF_UNSPEC && !p->is_heard && !p->received;

    if (p->is_lost)
        return;
    snprintf(p->why, sizeof p->why, "%s%s", why,
             may_be_barred ? "; do the hosts' firewalls let TCP and UDP pass?" : "");
    p->is_lost = true;
    atomic_fetch_add_explicit(&heartbeat.unreported, 1, memory_order_relaxed);
}

void heartbeat_lose(int process, const char *why)
{
    struct heartbeat_peer *p;

    pthread_mutex_lock(&heartbeat.mutex);
    p = heartbeat_find(process);
    if (p)
        lose(p, why);
    pthread_mutex_unlock(&heartbeat.mutex);
}

static void heartbeat_say(const struct beat *b, const struct sockaddr *to, socklen_t size)
{
    ssize_t sent = sendto(heartbeat.fd, b, sizeof *b, MSG_DONTWAIT, to, size);

    if (sent < 0 && errno == ECONNREFUSED) /* so says a host of an earlier one */
        sent = sendto(heartbeat.fd, b, sizeof *b, MSG_DONTWAIT, to, size);
    if (sent < 0)
        return; /* a question that cannot be sent stays unanswered */
}

static void heartbeat_ask(const struct heartbeat_peer *p)
{
    struct beat b = {.tag = p->tag,
                     .reply_tag = heartbeat.tag,
                     .job = heartbeat.job,
                     .rank = (uint32_t)boot.rank,
                     .kind = QUESTION,
                     .is_polling = atomic_load_explicit(&heartbeat.has_polled, memory_order_relaxed),
                     .proof = p->question,
                     .sent = p->sent_before};

    heartbeat_say(&b, &p->address.any, heartbeat_size_of(p));
}

static void heartbeat_answer(const struct beat *question, uint16_t kind, const struct sockaddr *to,
                             socklen_t size)
{
    struct beat b = {
        .tag = question->reply_tag, .job = heartbeat.job, .rank = (uint32_t)boot.rank, .kind = kind};

    if (!proof_of(heartbeat.mine->key, kind == DEATH ? PROOF_DEATH : PROOF_ANSWER, question->job,
                  question->rank, &b.proof))
        heartbeat_say(&b, to, size);
}

/* Whether a process that knows this one's key, or whose key this one knows, has sent it. p: NULL, or the peer. */
static bool heartbeat_is_proved(const struct beat *b, const struct heartbeat_peer *p)
{
    if (b->kind == QUESTION)
        return proof_is(b->proof, heartbeat.mine->key, PROOF_QUESTION, b->job, b->rank);
    return p && ((b->kind == ANSWER && b->proof == p->answer) || (b->kind == DEATH && b->proof == p->death));
}

/* A lost peer gets no answer, so that it takes this process for lost too. One of a job that survives deaths hears that it is lost: others
 * have been told so as well. */
static uint16_t answer_to(const struct beat *question, const struct heartbeat_peer *p)
{
    if (!p || !p->is_lost)
        return ANSWER;
    return hint_process.value[HINT_SURVIVE] && question->job == heartbeat.job ? DEATH : 0;
}

/* What to answer; 0: nothing. */
static uint16_t take_beat(const struct beat *b)
{
    struct heartbeat_peer *p;
    uint16_t answer = 0;
    bool is_proved;

    pthread_mutex_lock(&heartbeat.mutex);
    p = heartbeat_find_sender(b);
    is_proved = heartbeat_is_proved(b, p);
    if (is_proved && p) {
        p->unanswered = p->refused = 0;
        p->is_heard = true;
        if (b->kind == QUESTION && b->is_polling) {
            p->told = b->sent;
            p->has_asked = true;
        }
    }
    if (is_proved && b->kind == QUESTION)
        answer = answer_to(b, p);
    pthread_mutex_unlock(&heartbeat.mutex);
    if (is_proved && b->kind == DEATH)
        boot_end_as_dead((int)b->rank);
    return answer;
}

/* False: nothing is there. What a stranger sends costs no more than to read it. */
static bool receive_one(void)
{
    struct sockaddr_storage from;
    socklen_t size = sizeof from;
    struct beat b;
    ssize_t got = recvfrom(heartbeat.fd, &b, sizeof b, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
    uint16_t answer = got == sizeof b && b.tag == heartbeat.tag ? take_beat(&b) : 0;

    if (answer)
        heartbeat_answer(&b, answer, (struct sockaddr *)&from, size);
    return got >= 0;
}

/* With the mutex. */
static struct heartbeat_peer *heartbeat_find_at(const void *address, socklen_t size)
{
    for (int i = 0; i < heartbeat.count; i++)
        if (size == heartbeat_size_of(&heartbeat.peer[i]) &&
            memcmp(&heartbeat.peer[i].address, address, size) == 0)
            return &heartbeat.peer[i];
    return NULL;
}

/* A host has said that nobody has the port that a question went to. A process has it from before it is asked until it ends.
 * One such answer may be forged or of a host that is set up again, so it is asked once more. Whether it is lost. */
static bool take_refusal(const void *address, socklen_t size)
{
    struct heartbeat_peer *p;
    bool is_lost;

    pthread_mutex_lock(&heartbeat.mutex);
    p = heartbeat_find_at(address, size);
    if (p)
        p->is_heard = true;
    is_lost = p && !p->is_lost && ++p->refused >= REFUSALS;
    if (is_lost)
        lose(p, "it has died");
    else if (p && !p->is_lost)
        heartbeat_ask(p);
    pthread_mutex_unlock(&heartbeat.mutex);
    return is_lost;
}

static bool is_refusal(struct msghdr *m)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        struct sock_extended_err told;

        if ((c->cmsg_level != IPPROTO_IP || c->cmsg_type != IP_RECVERR) &&
            (c->cmsg_level != IPPROTO_IPV6 || c->cmsg_type != IPV6_RECVERR))
            continue;
        memcpy(&told, CMSG_DATA(c), sizeof told);
        if (told.ee_errno == ECONNREFUSED)
            return true;
    }
    return false;
}

/* Whether a process is lost. */
static bool take_refusals(void)
{
    bool any = false;

    for (int i = 0; i < RECEIVED_AT_ONCE; i++) {
        _Alignas(struct cmsghdr) char control[512];
        struct sockaddr_in6 to = {0}; /* the longer one */
        struct msghdr m = {.msg_name = &to,
                           .msg_namelen = sizeof to,
                           .msg_control = control,
                           .msg_controllen = sizeof control};

        if (recvmsg(heartbeat.fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
            break;
        any = (is_refusal(&m) && take_refusal(&to, m.msg_namelen)) || any;
    }
    return any;
}

/* The thread has other work than this, however much arrives. */
bool heartbeat_receive(void)
{
    for (int i = 0; i < RECEIVED_AT_ONCE && receive_one(); i++) {
    }
    return take_refusals();
}

/* With the mutex. */
static void ask_all(void)
{
    for (int i = 0; i < heartbeat.count; i++) {
        struct heartbeat_peer *p = &heartbeat.peer[i];

        if (p->is_lost || p->address.any.sa_family == AF_UNSPEC)
            continue;
        if (p->unanswered++ < heartbeat.most || !heartbeat.most) {
            heartbeat_ask(p);
            continue;
        }
        lose(p, "it does not answer (INKLING_PEER_TIMEOUT): it died, or the network is cut");
    }
}

bool heartbeat_wants_count(void)
{
    return atomic_load_explicit(&heartbeat.wants_count, memory_order_relaxed);
}

/* With the mutex. */
static void count_packets(struct heartbeat_peer *p, uint64_t sent, uint64_t received)
{
    bool is_missing = p->told > received && p->received == received;

    if (p->received != received) /* a sign of life, as good as an answer */
        p->unanswered = 0;
    p->sent_before = p->sent;
    p->sent = sent;
    p->received = received;
    if (!p->has_asked)
        return;
    p->has_asked = false;
    p->stuck = is_missing ? p->stuck + 1 : 0;
    if (heartbeat.most && p->stuck >= heartbeat.most)
        lose(p, "packets from it were lost: a connection was cut");
}

void heartbeat_count(void (*look)(int process, uint64_t *sent, uint64_t *received))
{
    pthread_mutex_lock(&heartbeat.mutex);
    atomic_store_explicit(&heartbeat.wants_count, false, memory_order_relaxed);
    atomic_store_explicit(&heartbeat.has_polled, true, memory_order_relaxed);
    for (int i = 0; i < heartbeat.count; i++) {
        uint64_t sent = 0, received = 0;

        look(heartbeat.peer[i].process, &sent, &received);
        count_packets(&heartbeat.peer[i], sent, received);
    }
    pthread_mutex_unlock(&heartbeat.mutex);
}

int heartbeat_send(bool *wake)
{
    uint64_t now = clock_ns();

    *wake = false;
    if (heartbeat.fd < 0 || heartbeat.every_ns == 0)
        return -1;
    if (now >= heartbeat.next_ns) {
        heartbeat.next_ns = now + heartbeat.every_ns;
        pthread_mutex_lock(&heartbeat.mutex);
        ask_all();
        atomic_store_explicit(&heartbeat.has_polled, false, memory_order_relaxed);
        *wake = heartbeat.count > 0;
        atomic_store_explicit(&heartbeat.wants_count, *wake, memory_order_relaxed);
        pthread_mutex_unlock(&heartbeat.mutex);
    }
    return (int)((heartbeat.next_ns - now) / 1000000) + 1;
}

int heartbeat_take_lost(char *why, size_t size)
{
    int process = -1;

    if (!atomic_load_explicit(&heartbeat.unreported, memory_order_relaxed))
        return -1;
    pthread_mutex_lock(&heartbeat.mutex);
    for (int i = 0; i < heartbeat.count && process < 0; i++)
        if (heartbeat.peer[i].is_lost && !heartbeat.peer[i].is_reported) {
            heartbeat.peer[i].is_reported = true;
            process = heartbeat.peer[i].process;
            snprintf(why, size, "%s", heartbeat.peer[i].why);
            atomic_fetch_sub_explicit(&heartbeat.unreported, 1, memory_order_relaxed);
        }
    pthread_mutex_unlock(&heartbeat.mutex);
    return process;
}
