/* conform CASE: the conformance suite of the transport contract (src/net/transport.h). Every case runs the
 * same checks on a transport between two processes that this program forks (self: within one; ofi: mpiexec
 * has started them, since addresses travel through it). */
#include "boot/boot.h"
#include "hint/hint.h"
#include "memory/memory.h"
#include "net/net.h"
#include "plain/clock.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(condition) ((condition) ? (void)0 : expectation_failed(__FILE__, __LINE__, #condition))
#define LEAVE_NS          ((uint64_t)5 * 1000 * 1000 * 1000) /* for the last packets to leave */

enum {
    KIND_DATA = 1,
    KIND_END = 2,
    KIND_COPIED = 3,
    FLOOD = 20000
};

static void expectation_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: process %d: %s does not hold\n", file, line, boot.rank, condition);
    exit(1);
}

static struct peer *other;

static unsigned char byte_of(uint64_t number, size_t i)
{
    return (unsigned char)(number * 7 + i);
}

static bool try_send(uint8_t kind, uint64_t number, uint32_t length)
{
    static unsigned char payload[1 << 20];
    struct message m = {.length = length,
                        .kind = kind,
                        .plane = 1,
                        .context = number,
                        .source = boot.rank,
                        .tag = (int32_t)length};

    for (uint32_t i = 0; i < length; i++)
        payload[i] = byte_of(number, i);
    return other->transport->send(other, &m, payload);
}

static void check_arrival(const struct arrival *a, uint64_t number, uint32_t length)
{
    const unsigned char *payload = a->payload;

    EXPECT(a->message->context == number);
    EXPECT(a->message->length == length);
    EXPECT(a->message->tag == (int32_t)length);
    EXPECT(a->message->plane == 1);
    EXPECT(a->message->source == other->process);
    EXPECT(a->from->process == other->process);
    for (uint32_t i = 0; i < length; i++)
        EXPECT(payload[i] == byte_of(number, i));
}

static struct arrival pending; /* what the poller found */
static bool found;

static int poll_once(bool all)
{
    (void)all;
    if (found)
        return 0;
    found = net_poll(0, &pending);
    return found;
}

/* Waits as the library does, so that ringing and sleeping are part of the contract. */
static void await(struct arrival *a)
{
    struct wait w = WAIT_START;

    while (!found)
        progress_wait(&w);
    *a = pending;
    found = false;
}

/* Nothing wakes a sender when there is room again: it polls and naps. */
static void send_all(uint8_t kind, uint64_t number, uint32_t length)
{
    while (!try_send(kind, number, length)) {
        progress_poll();
        usleep(10);
    }
}

static uint32_t length_of(uint64_t number)
{
    size_t max = other->transport->limits(other)->message_max;

    return (uint32_t)(number % 16 ? number % 100 : number * 2654435761u % (max + 1));
}

static void sender(void)
{
    for (uint64_t n = 0; n < FLOOD; n++) {
        send_all(KIND_DATA, n, length_of(n));
        if (n % 5000 == 4999)
            usleep(30000); /* long enough for the receiver to fall asleep */
    }
    send_all(KIND_END, FLOOD, (uint32_t)other->transport->limits(other)->message_max);
}

static void receiver(void)
{
    struct arrival a;

    for (uint64_t n = 0; n < FLOOD; n++) {
        await(&a);
        EXPECT(a.message->kind == KIND_DATA);
        check_arrival(&a, n, length_of(n));
        net_release(&a);
    }
    await(&a);
    EXPECT(a.message->kind == KIND_END);
    check_arrival(&a, FLOOD, (uint32_t)other->transport->limits(other)->message_max);
    net_release(&a);
}

/* Both ways at once, one at a time: order and no loss while sleeping. */
static void ping_pong(void)
{
    struct arrival a;

    for (uint64_t n = 0; n < 2000; n++) {
        if (boot.rank == 0)
            send_all(KIND_DATA, n, length_of(n));
        await(&a);
        check_arrival(&a, n, length_of(n));
        net_release(&a);
        if (boot.rank == 1)
            send_all(KIND_DATA, n, length_of(n));
    }
}

enum {
    SECRET_BYTES = 3 << 20
};

/* NET_PIECES pieces of `memory`, a byte apart; returns how many bytes they have. */
static size_t list_pieces(struct iovec piece[NET_PIECES], unsigned char *memory)
{
    size_t bytes = 0;

    for (int i = 0; i < NET_PIECES; i++) {
        piece[i] = (struct iovec){++memory, (size_t)i * i * 37 % 9000};
        memory += piece[i].iov_len;
        bytes += piece[i].iov_len;
    }
    EXPECT(bytes + NET_PIECES < SECRET_BYTES);
    return bytes;
}

/* The bytes before and after each piece must stay. */
static void read_in_pieces(unsigned char *there)
{
    static unsigned char copy[SECRET_BYTES];
    struct iovec to[NET_PIECES], from = {there, 0};
    unsigned char *at = copy;

    memset(copy, 0x10, sizeof copy);
    from.iov_len = list_pieces(to, copy);
    EXPECT(other->transport->copy(other, false, to, NET_PIECES, &from, 1) == MPI_SUCCESS);
    for (size_t i = 0, n = 0; i < NET_PIECES; i++) {
        EXPECT(*at++ == 0x10);
        for (size_t end = n + i * i * 37 % 9000; n < end; n++)
            EXPECT(*at++ == byte_of((uint64_t)other->process, n));
    }
    EXPECT(*at == 0x10);
}

/* From pieces of the peer's memory, which lie as if they began one byte after `there`. */
static void read_from_pieces(unsigned char *there)
{
    static unsigned char copy[SECRET_BYTES];
    struct iovec from[NET_PIECES], to = {copy, 0};
    size_t n = 0, at = 1;

    to.iov_len = list_pieces(from, there);
    EXPECT(other->transport->copy(other, false, &to, 1, from, NET_PIECES) == MPI_SUCCESS);
    for (size_t i = 0; i < NET_PIECES; i++, at++)
        for (size_t end = n + i * i * 37 % 9000; n < end; n++, at++)
            EXPECT(copy[n] == byte_of((uint64_t)other->process, at));
}

/* Whether all of it could be copied as one piece. */
static bool copy_all(bool is_put, unsigned char *here, unsigned char *there, size_t bytes)
{
    struct iovec mine = {here, bytes}, theirs = {there, bytes};

    return other->transport->copy &&
           other->transport->copy(other, is_put, &mine, 1, &theirs, 1) == MPI_SUCCESS;
}

enum copies {
    COPIES_NOTHING,
    COPIES_MESSAGES, /* only reads, and of what a peer sends */
    COPIES_ALL
};

/* The peer sends the address of `secret`. copy must fetch it or say that it cannot, and write it likewise. */
static void read_and_write(enum copies copies)
{
    bool is_read = copies != COPIES_NOTHING, is_written = copies == COPIES_ALL;
    static unsigned char secret[SECRET_BYTES], copy[SECRET_BYTES];
    struct message m = {.length = 8, .kind = KIND_DATA, .source = boot.rank};
    unsigned char *there = secret;
    struct arrival a;

    for (size_t i = 0; i < SECRET_BYTES; i++)
        secret[i] = byte_of((uint64_t)boot.rank, i);
    while (!other->transport->send(other, &m, &there))
        progress_poll();
    await(&a);
    memcpy(&there, a.payload, sizeof there);
    net_release(&a);
    EXPECT((other->transport->copy &&
            other->transport->copy(other, false, NULL, 0, NULL, 0) == MPI_SUCCESS) == is_written);
    EXPECT(copy_all(false, copy, there, SECRET_BYTES) == is_read);
    for (size_t i = 0; is_read && i < SECRET_BYTES; i++)
        EXPECT(copy[i] == byte_of((uint64_t)other->process, i));
    if (is_read) {
        read_in_pieces(there);
        read_from_pieces(there);
    }
    send_all(KIND_END, 1, 0);
    await(&a); /* both have read */
    net_release(&a);
    memset(copy, 0x3c, SECRET_BYTES);
    EXPECT(copy_all(true, copy, there + 1, SECRET_BYTES - 2) == is_written);
    send_all(KIND_END, 1, 0);
    await(&a); /* and both have written: all but the first and the last byte */
    net_release(&a);
    for (size_t i = 0; i < SECRET_BYTES; i++)
        EXPECT(secret[i] ==
               (is_written && i > 0 && i < SECRET_BYTES - 1 ? 0x3c : byte_of((uint64_t)boot.rank, i)));
}

enum {
    PARTS = 5,
    COPIES = 3000,    /* at once */
    EXPOSED = 8 << 20 /* bytes */
};

static void await_end(void)
{
    struct arrival a;

    await(&a);
    EXPECT(a.message && a.message->kind == KIND_END);
    net_release(&a);
}

/* The ends of so many copies, in any order, and then that of the other's, which may come before. */
static void await_copies(unsigned copies)
{
    static bool has_ended[COPIES];
    bool other_has_copied = false, is_last;
    unsigned ended = 0;
    struct arrival a;

    memset(has_ended, 0, sizeof has_ended);
    while (ended < copies || !other_has_copied) {
        await(&a);
        EXPECT(a.message && a.message->length == 0 && a.from == other);
        if (a.message->kind == KIND_COPIED) {
            EXPECT(a.message->tag == MPI_SUCCESS && a.message->context < copies);
            EXPECT(!has_ended[a.message->context]);
            has_ended[a.message->context] = true;
            ended++;
        } else {
            EXPECT(a.message->kind == KIND_END && !other_has_copied);
            other_has_copied = true;
        }
        is_last = a.message->kind == KIND_COPIED && ended == copies;
        net_release(&a);
        if (is_last)
            send_all(KIND_END, 3, 0);
    }
}

/* Memory that both expose, and what they tell each other of it. */
static unsigned char exposed_bytes[EXPOSED], copy_of_exposed[PARTS][EXPOSED];

static struct memory_region *expose(enum exposure exposure, struct exposed *told)
{
    struct message m = {.length = sizeof *told, .kind = KIND_DATA, .source = boot.rank};
    struct memory_region *mr;
    struct arrival a;

    mr = other->transport->expose(exposed_bytes, EXPOSED, exposure, told);
    EXPECT(mr && told->key && told->exposure == exposure);
    while (!other->transport->send(other, &m, told))
        progress_poll();
    await(&a);
    memcpy(told, a.payload, sizeof *told);
    net_release(&a);
    return mr;
}

/* Each reads the other's memory in parts, all in flight at once. */
static void expose_and_read(void)
{
    struct exposed told;
    struct memory_region *mr;

    for (size_t i = 0; i < EXPOSED; i++)
        exposed_bytes[i] = byte_of((uint64_t)boot.rank + 3, i);
    mr = expose(EXPOSED_MESSAGE, &told);
    memset(copy_of_exposed, 0, sizeof copy_of_exposed);
    for (uint64_t n = 0; n < PARTS; n++) {
        struct message done = {.kind = KIND_COPIED, .context = n};

        EXPECT(other->transport->read(other, copy_of_exposed[n], &told, n * n,
                                      (size_t)(EXPOSED - 100) >> 3 * n, &done));
    }
    await_copies(PARTS);
    for (size_t n = 0; n < PARTS; n++)
        for (size_t i = 0; i < EXPOSED; i++)
            EXPECT(copy_of_exposed[n][i] == (i < (size_t)(EXPOSED - 100) >> 3 * n
                                                 ? byte_of((uint64_t)other->process + 3, i + n * n)
                                                 : 0));
    other->transport->conceal(mr);
}

/* The n-th of the writes below is of the first bytes of such a stretch: the first of half the memory, in several parts. */
static size_t begin_of_write(uint64_t n)
{
    return n == 0 ? EXPOSED / 2 : (size_t)((n - 1) * (EXPOSED / 2) / (COPIES - 1));
}

static size_t end_of_write(uint64_t n)
{
    return n == 0 ? EXPOSED : begin_of_write(n + 1);
}

static size_t bytes_of_write(uint64_t n)
{
    return n % 50 == 0 ? end_of_write(n) - begin_of_write(n) - 3 : (size_t)(1 + n * n % 97);
}

/* Each writes to the other's memory, more at once than a provider has room for, and reads it again. */
static void write_and_read(void)
{
    static unsigned char written[EXPOSED];
    struct exposed told;
    struct memory_region *mr = expose(EXPOSED_WINDOW, &told);

    memset(exposed_bytes, 0x11, EXPOSED);
    for (size_t i = 0; i < EXPOSED; i++)
        written[i] = byte_of((uint64_t)boot.rank + 5, i);
    send_all(KIND_END, 4, 0);
    await_end();
    for (uint64_t n = 0; n < COPIES; n++) {
        struct message done = {.kind = KIND_COPIED, .context = n};

        EXPECT(other->transport->write(other, written + begin_of_write(n), &told, begin_of_write(n),
                                       bytes_of_write(n), &done));
    }
    await_copies(COPIES);
    for (uint64_t n = 0; n < COPIES; n++)
        for (size_t i = begin_of_write(n); i < end_of_write(n); i++)
            EXPECT(exposed_bytes[i] == (i < begin_of_write(n) + bytes_of_write(n)
                                            ? byte_of((uint64_t)other->process + 5, i)
                                            : 0x11));
    EXPECT(other->transport->read(other, copy_of_exposed[0], &told, 0, EXPOSED,
                                  &(struct message){.kind = KIND_COPIED}));
    await_copies(1);
    for (uint64_t n = 0; n < COPIES; n++)
        EXPECT(
            !memcmp(copy_of_exposed[0] + begin_of_write(n), written + begin_of_write(n), bytes_of_write(n)));
    other->transport->conceal(mr);
}

/* Both fill a block and send its address; each reads and writes the other's through its own map. */
static void look_and_touch(void)
{
    enum {
        BYTES = 3 << 20
    };
    struct message m = {.length = 8, .kind = KIND_DATA, .source = boot.rank};
    unsigned char *block = NULL, *theirs, plain;
    uint64_t address;
    struct arrival a;

    EXPECT(memory_alloc(BYTES, 1, (void **)&block) == MPI_SUCCESS);
    memset(block, 0x50 + boot.rank, BYTES);
    address = (uint64_t)(uintptr_t)block;
    while (!other->transport->send(other, &m, &address))
        usleep(10);
    await(&a);
    memcpy(&address, a.payload, sizeof address);
    net_release(&a);
    theirs = net_map(other, address, BYTES);
    EXPECT(theirs != NULL);
    for (size_t i = 0; i < BYTES - 1; i++)
        EXPECT(theirs[i] == 0x50 + other->process);
    if (other->process != boot.rank) {
        EXPECT(!net_map(other, (uint64_t)(uintptr_t)&plain, 1));
        EXPECT(!net_map(other, address, SIZE_MAX));
        EXPECT(!net_map(other, address - ((uint64_t)1 << 40), 1));
        EXPECT(!net_map(other, 0, 1));
    }
    theirs[BYTES - 1] = 0x60;
    send_all(KIND_END, 2, 0);
    await(&a);
    net_release(&a);
    EXPECT(block[BYTES - 1] == 0x60);
    EXPECT(memory_free(block) == MPI_SUCCESS);
    theirs[0]++; /* freed or not: no fault */
}

static void check_limits(void)
{
    const struct transport_limits *limits = other->transport->limits(other);

    EXPECT(limits->message_max >= 512);
    EXPECT(limits->message_best <= limits->message_max);
    EXPECT(other->transport->limits(other)->message_max == limits->message_max);
    EXPECT(other->transport->reaches(other->process));
}

static void run_pair(const char *transport, enum copies copies)
{
    other = net_peer(0, 1 - boot.rank);
    EXPECT(other && !strcmp(other->transport->name, transport));
    EXPECT(net_peer(0, 1 - boot.rank) == other);
    check_limits();
    ping_pong();
    if (boot.rank == 0)
        sender();
    else
        receiver();
    read_and_write(copies);
    if (other->transport->map)
        look_and_touch();
    if (other->transport->expose && hint_process.value[HINT_OFI_RMA])
        expose_and_read();
    if (other->transport->write && hint_process.value[HINT_WIN_RMA] == 1)
        write_and_read();
}

static void run_self(void)
{
    struct arrival a;

    other = net_peer(0, 0);
    EXPECT(other && !strcmp(other->transport->name, "self"));
    check_limits();
    EXPECT(!net_poll(0, &a));
    for (uint64_t n = 0; n < 100; n++)
        EXPECT(try_send(KIND_DATA, n, length_of(n)));
    for (uint64_t n = 0; n < 100; n++) {
        await(&a);
        check_arrival(&a, n, length_of(n));
        net_release(&a);
    }
    EXPECT(!net_poll(0, &a));
}

static void set_up(const char *name, int size)
{
    int fd = memfd_create("conform", MFD_CLOEXEC);

    if (!strcmp(name, "shm-no-cma"))
        setenv("INKLING_CMA", "false", 1);
    if (!strcmp(name, "shm-cma-of-messages"))
        setenv("INKLING_CMA", "messages", 1);
    if (!strcmp(name, "shm-small-ring"))
        setenv("INKLING_RING_SIZE", "4096", 1);
    if (!strcmp(name, "shm-small-staging"))
        setenv("INKLING_STAGING_SIZE", "64K", 1);
    boot = (struct boot){.launcher = "test",
                         .job = "conform",
                         .size = size,
                         .local_fd = fd,
                         .local_size = size,
                         .all_local = true};
    if (!strcmp(name, "shm-crowded"))
        alarm(50);
}

/* Polls for a while: a process that has ended confirms nothing any more, and a provider over datagrams waits
 * for that. */
static void let_all_leave(void)
{
    uint64_t end = clock_ns() + LEAVE_NS;

    while (!net_has_sent_all() && clock_ns() < end)
        poll_once(true);
}

static enum copies copies_of(const char *name, bool started)
{
    if (!strcmp(name, "shm-cma-of-messages"))
        return COPIES_MESSAGES;
    return started || !strcmp(name, "shm-no-cma") ? COPIES_NOTHING : COPIES_ALL;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "self";
    bool pair = strcmp(name, "self") != 0;
    bool started = pair && strncmp(name, "shm", 3) != 0; /* by mpiexec, over the network of this name */
    pid_t child = 0;
    int status = 0;

    if (!started)
        set_up(name, pair ? 2 : 1);
    if (pair && !started && (child = fork()) == 0)
        boot.rank = boot.local_rank = 1;
    EXPECT(hint_process_init() == MPI_SUCCESS);
    EXPECT(!started || boot_init() == MPI_SUCCESS);
    EXPECT(net_open() == MPI_SUCCESS);
    progress_add_poller(poll_once);
    if (!strcmp(name, "shm-crowded"))
        progress_set_crowd(2, 1);
    if (pair)
        run_pair(started ? name : "shm", copies_of(name, started));
    else
        run_self();
    let_all_leave();
    net_close();
    EXPECT(!started || boot_fini() == MPI_SUCCESS);
    if (child > 0)
        EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}
