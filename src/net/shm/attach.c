#include "net/shm/attach.h"

#include "base/thread.h"
#include "hint/hint.h"
#include "net/net.h"
#include "plain/fail.h"
#include "plain/private.h"
#include "plain/socket.h"
#include "progress/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
    VERSION = 2, /* counted up whenever greeting, answer or the layout of an arena changes */
    BACKLOG = 128,
    PAUSE_NS = 10 * 1000 * 1000 /* when accept finds no free descriptor or memory */
};

/* Epoll events that are not a connection's index. */
#define EVENT_LISTENER UINT32_MAX
#define EVENT_END      (UINT32_MAX - 1)

static const char magic[8] = "inkling";

/* Sent first, by the attaching process. */
struct greeting {
    char magic[8];
    uint32_t version, unused;
    struct card card;
};

struct answer {
    char magic[8];
    int32_t slot; /* -1: none is free */
    int32_t local_size;
    uint64_t stride, ring_size, staging_size;
};

enum state {
    CONNECTION_FREE,
    CONNECTION_ACCEPTED, /* its greeting has not come yet */
    CONNECTION_GUEST,
    CONNECTION_HOST, /* this process has attached to the other */
    CONNECTION_LOST
};

struct connection {
    enum state state;
    int fd;
    struct card card;
    int slot; /* of a guest; else -1 */
};

static struct {
    pthread_mutex_t mutex; /* guards all below but what is constant or atomic */
    struct connection *connection;
    uint32_t count;
    struct {
        bool is_taken;
        struct card card;
    } slot[ARENA_GUESTS];
    int guests;
    _Atomic int
        losses; /* connections that are lost; release to count up, acquire before they are looked for */
    /* Constant while is_open. */
    struct arena_plan plan;
    int listener, events, end;
    pthread_t thread;
    bool is_open;
} attach = {.mutex = PTHREAD_MUTEX_INITIALIZER, .listener = -1, .events = -1, .end = -1};

static socklen_t attach_name_of(const struct card *card, struct sockaddr_un *name)
{
    char rest[64];

    snprintf(rest, sizeof rest, "attach-%016" PRIx64 "-%d", card->job, card->rank);
    return socket_name_here(rest, name);
}

static bool watch_fd(int fd, uint32_t what)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.u32 = what};

    return epoll_ctl(attach.events, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* With the mutex. False: it failed, and the descriptor is still the caller's. */
static bool add_connection(int fd, enum state state, const struct card *card)
{
    uint32_t i = 0;

    while (i < attach.count && attach.connection[i].state != CONNECTION_FREE)
        i++;
    if (i == attach.count) {
        struct connection *bigger = realloc(attach.connection, (2 * (size_t)i + 8) * sizeof *bigger);

        if (!bigger)
            return false;
        memset(bigger + i, 0, ((size_t)i + 8) * sizeof *bigger);
        attach.connection = bigger;
        attach.count = 2 * i + 8;
    }
    attach.connection[i] = (struct connection){.state = state, .fd = fd, .slot = -1};
    if (card)
        attach.connection[i].card = *card;
    if (watch_fd(fd, i)) {
        private_add(fd);
        return true;
    }
    attach.connection[i].state = CONNECTION_FREE;
    return false;
}

/* With the mutex. */
static int attach_take_slot(const struct card *card)
{
    for (int i = 0; i < ARENA_GUESTS; i++)
        if (!attach.slot[i].is_taken) {
            attach.slot[i].is_taken = true;
            attach.slot[i].card = *card;
            attach.guests++;
            return attach.plan.local_size + i;
        }
    return -1;
}

void attach_free_slot(int slot)
{
    pthread_mutex_lock(&attach.mutex);
    attach.slot[slot - attach.plan.local_size].is_taken = false;
    attach.guests--;
    pthread_mutex_unlock(&attach.mutex);
}

bool attach_guest(int slot, struct card *card)
{
    int i = slot - attach.plan.local_size;
    bool is_taken;

    if (i < 0 || i >= ARENA_GUESTS)
        return false;
    pthread_mutex_lock(&attach.mutex);
    is_taken = attach.slot[i].is_taken;
    *card = attach.slot[i].card;
    pthread_mutex_unlock(&attach.mutex);
    return is_taken;
}

int attach_slot_of(const struct card *card)
{
    int slot = -1;

    pthread_mutex_lock(&attach.mutex);
    for (int i = 0; i < ARENA_GUESTS && slot < 0; i++)
        if (attach.slot[i].is_taken && card_is_same(&attach.slot[i].card, card))
            slot = attach.plan.local_size + i;
    pthread_mutex_unlock(&attach.mutex);
    return slot;
}

int attach_count_guests(void)
{
    int guests;

    pthread_mutex_lock(&attach.mutex);
    guests = attach.guests;
    pthread_mutex_unlock(&attach.mutex);
    return guests;
}

/* Removes the descriptor from the epoll before closing it. While a forked child holds it too, closing alone
 * does not remove it, and events of this connection would be taken for another's. */
static void attach_drop(struct connection *c, enum state state)
{
    epoll_ctl(attach.events, EPOLL_CTL_DEL, c->fd, NULL);
    private_close(c->fd);
    c->state = state;
}

static void open_to(struct connection *c, const struct card *card)
{
    struct answer answer = {.local_size = attach.plan.local_size,
                            .stride = attach.plan.stride,
                            .ring_size = attach.plan.ring_size,
                            .staging_size = attach.plan.staging_size};

    memcpy(answer.magic, magic, sizeof magic);
    c->card = *card;
    c->slot = answer.slot = attach_take_slot(card);
    c->state = CONNECTION_GUEST;
    if (socket_send_fd(c->fd, &answer, sizeof answer, attach.plan.fd) && c->slot >= 0)
        return;
    if (c->slot >= 0) { /* the guest has not received it */
        attach.slot[c->slot - attach.plan.local_size].is_taken = false;
        attach.guests--;
    }
    attach_drop(c, CONNECTION_FREE);
}

/* With the mutex. True: the connection is lost. */
static bool attach_receive(struct connection *c)
{
    struct greeting greeting;
    ssize_t got = recv(c->fd, &greeting, sizeof greeting, MSG_DONTWAIT | MSG_TRUNC);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (c->state == CONNECTION_ACCEPTED && got == sizeof greeting &&
        memcmp(greeting.magic, magic, sizeof magic) == 0 && greeting.version == VERSION) {
        open_to(c, &greeting.card);
        return false;
    }
    if (c->state == CONNECTION_ACCEPTED) {
        attach_drop(c, CONNECTION_FREE);
        return false;
    }
    attach_drop(c, CONNECTION_LOST);
    atomic_fetch_add_explicit(&attach.losses, 1, memory_order_release);
    return true;
}

static void attach_accept(void)
{
    struct timespec pause = {0, PAUSE_NS};
    int fd = accept4(attach.listener, NULL, NULL, SOCK_CLOEXEC);
    bool added;

    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
            nanosleep(&pause, NULL);
        return;
    }
    pthread_mutex_lock(&attach.mutex);
    added = socket_is_own_user(fd) && add_connection(fd, CONNECTION_ACCEPTED, NULL);
    pthread_mutex_unlock(&attach.mutex);
    if (!added)
        close(fd);
}

/* Sleeping threads look for losses when they wake. */
static void attach_wake(void)
{
    const struct sleeper *sleeper = progress_sleeper();

    if (sleeper)
        sleeper->wake();
}

static void *attach_watch(void *unused)
{
    struct epoll_event event = {0};

    while (event.data.u32 != EVENT_END) {
        bool is_loss = false;

        if (epoll_wait(attach.events, &event, 1, -1) != 1)
            continue;
        if (event.data.u32 == EVENT_LISTENER) {
            attach_accept();
        } else if (event.data.u32 != EVENT_END) {
            pthread_mutex_lock(&attach.mutex);
            is_loss = attach_receive(&attach.connection[event.data.u32]);
            pthread_mutex_unlock(&attach.mutex);
        }
        if (is_loss)
            attach_wake();
    }
    return unused;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        private_close(*fd);
    *fd = -1;
}

static void attach_close_all(void)
{
    for (uint32_t i = 0; i < attach.count; i++)
        if (attach.connection[i].state != CONNECTION_FREE && attach.connection[i].state != CONNECTION_LOST)
            private_close(attach.connection[i].fd);
    free(attach.connection);
    attach.connection = NULL;
    attach.count = 0;
    atomic_store_explicit(&attach.losses, 0, memory_order_relaxed); /* no other thread is here any more */
    attach.guests = 0;
    memset(attach.slot, 0, sizeof attach.slot);
    close_fd(&attach.listener);
    close_fd(&attach.events);
    close_fd(&attach.end);
}

int attach_open(const struct arena_plan *plan)
{
    struct card card = card_mine();
    struct sockaddr_un name;
    socklen_t length = attach_name_of(&card, &name);

    if (attach.is_open)
        return MPI_SUCCESS;
    attach.plan = *plan;
    attach.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    attach.events = epoll_create1(EPOLL_CLOEXEC);
    attach.end = eventfd(0, EFD_CLOEXEC);
    if (attach.listener < 0 || attach.events < 0 || attach.end < 0 ||
        bind(attach.listener, (struct sockaddr *)&name, length) < 0 || listen(attach.listener, BACKLOG) < 0 ||
        !watch_fd(attach.listener, EVENT_LISTENER) || !watch_fd(attach.end, EVENT_END) ||
        thread_start(&attach.thread, attach_watch) != 0) {
        int why = errno;

        attach_close_all();
        return fail(MPI_ERR_OTHER, "cannot let processes of other jobs in: no socket or thread for them: %s",
                    strerror(why));
    }
    private_add(attach.listener);
    attach.is_open = true;
    return MPI_SUCCESS;
}

void attach_close(void)
{
    uint64_t one = 1;

    if (!attach.is_open || write(attach.end, &one, sizeof one) != sizeof one)
        return;
    pthread_join(attach.thread, NULL);
    attach_close_all();
    attach.is_open = false;
}

bool attach_is_open(void)
{
    return attach.is_open;
}

static bool make_sane(const struct answer *answer)
{
    return memcmp(answer->magic, magic, sizeof magic) == 0 && answer->slot < ARENA_SLOTS_MAX &&
           answer->local_size > 0 && answer->local_size <= ARENA_LOCAL_MAX && answer->stride > 0 &&
           answer->stride <= ARENA_STRIDE && answer->ring_size >= RING_SIZE_MIN &&
           (answer->ring_size & (answer->ring_size - 1)) == 0 && answer->staging_size <= STAGING_MOST;
}

static int fail_to_attach(const struct card *card, const char *why)
{
    return fail(MPI_ERR_OTHER, "cannot connect to rank %d of another job on this host: %s", card->rank, why);
}

/* Connects and sends this process's card. */
static int attach_connect(int fd, const struct card *card, struct answer *answer, int *memory)
{
    int64_t patience = hint_value(&hint_process, HINT_CONNECT_TIMEOUT);
    struct timeval limit = {patience / 1000000000, patience % 1000000000 / 1000 + 1};
    struct greeting greeting = {.version = VERSION, .card = card_mine()};
    struct sockaddr_un name;
    socklen_t length = attach_name_of(card, &name);

    memcpy(greeting.magic, magic, sizeof magic);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (connect(fd, (struct sockaddr *)&name, length) < 0)
        return errno == ECONNREFUSED ? fail(net_loss_class(), "rank %d of another job has ended", card->rank)
                                     : fail_to_attach(card, strerror(errno));
    if (!socket_is_own_user(fd))
        return fail_to_attach(card, "somebody else answers in its name");
    if (send(fd, &greeting, sizeof greeting, MSG_NOSIGNAL) != sizeof greeting ||
        !socket_receive_fd(fd, answer, sizeof *answer, memory))
        return fail_to_attach(card, strerror(errno));
    if (!make_sane(answer))
        return fail_to_attach(card, "it uses another version of the library");
    if (answer->slot < 0)
        return fail_to_attach(card, "it has as many connections as it can have");
    return MPI_SUCCESS;
}

int attach_to(const struct card *card, struct attach_reply *reply)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), memory = -1, error;
    struct answer answer;
    bool added = false;

    if (fd < 0)
        return fail_to_attach(card, strerror(errno));
    error = attach_connect(fd, card, &answer, &memory);
    if (!error) {
        pthread_mutex_lock(&attach.mutex);
        added = add_connection(fd, CONNECTION_HOST, card);
        pthread_mutex_unlock(&attach.mutex);
        if (!added)
            error = fail_to_attach(card, "no memory");
    }
    if (error) {
        close(fd);
        if (memory >= 0)
            close(memory);
        return error;
    }
    *reply = (struct attach_reply){.plan = {.fd = memory,
                                            .local_size = answer.local_size,
                                            .stride = answer.stride,
                                            .ring_size = answer.ring_size,
                                            .staging_size = answer.staging_size},
                                   .slot = answer.slot};
    return MPI_SUCCESS;
}

/* With the mutex. attach.count: none is lost. */
static uint32_t first_lost(void)
{
    uint32_t i = 0;

    while (i < attach.count && attach.connection[i].state != CONNECTION_LOST)
        i++;
    return i;
}

bool attach_has_lost(void)
{
    /* acquire: what the process sent before its end is visible after this; pairs with the release in
     * attach_receive */
    return atomic_load_explicit(&attach.losses, memory_order_acquire) != 0;
}

void attach_count_losses(int change)
{
    atomic_fetch_add_explicit(&attach.losses, change, memory_order_release); /* pairs with attach_has_lost */
}

bool attach_look_lost(struct attach_loss *loss)
{
    bool found;
    uint32_t i;

    if (!attach_has_lost())
        return false;
    pthread_mutex_lock(&attach.mutex);
    i = first_lost();
    if (i < attach.count)
        *loss = (struct attach_loss){attach.connection[i].card, attach.connection[i].slot, i};
    found = i < attach.count;
    pthread_mutex_unlock(&attach.mutex);
    return found;
}

/* Takes this loss, not the first one: another may have come since attach_look_lost. */
void attach_take_lost(const struct attach_loss *loss)
{
    pthread_mutex_lock(&attach.mutex);
    attach.connection[loss->connection].state = CONNECTION_FREE;
    atomic_fetch_sub_explicit(&attach.losses, 1, memory_order_relaxed);
    pthread_mutex_unlock(&attach.mutex);
}
