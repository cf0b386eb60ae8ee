/* Fuzzes p2p with messages that need not make sense: any kind, plane, context, source, tag, length and
 * handle, between sends and receives of our own, over a transport that now and then has no room. Nothing may
 * be written out of bounds, and after honest answers every operation must be complete. */
#include "boot/boot.h"
#include "net/net.h"
#include "p2p/exposed.h"
#include "p2p/rndv/ipc_copy.h"
#include "p2p/transfer.h"
#include "progress/progress.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    PEERS = 3,
    LIVE = 24,
    BUFFER = 512,
    KNOWN = 7,
    LATE = 8 /* the context of a communicator that does not exist until the end */
};

struct fuzz_operation {
    struct request *request;
    unsigned char *buffer; /* of a receive: as long as it says, so that the sanitizer sees one byte more */
};

static struct {
    const uint8_t *at, *end;
} input;
static struct peer peers[PEERS], *table[PEERS];
static struct arrival next;
static bool has_next, has_room;
static struct {
    _Alignas(64) _Atomic uint64_t word[8];
} line[PEERS][2];
static struct comm *known;
static struct fuzz_operation live[LIVE];
static int live_count;
static unsigned char sent[BUFFER];

static void expect(bool truth)
{
    if (!truth)
        abort();
}

static int take_byte(void)
{
    return input.at < input.end ? *input.at++ : 0;
}

/* A peer that is asked for help now and then copies the first chunk that is left. */
static void cts_dual(struct peer *peer, const struct cts_dual *asked)
{
    _Atomic uint64_t *chunk_queue = &line[peer->process][true].word[2 * asked->chunk_queue];

    if (chunk_queue[0] >> 32 != asked->number || (uint32_t)chunk_queue[0] || take_byte() % 2)
        return;
    chunk_queue[0] += 1 << 16;
    chunk_queue[1] += 1;
}

static bool take_message(struct peer *peer, const struct message *message, const void *payload)
{
    unsigned char copy[64 * 1024];

    if (has_room && message->length)
        memcpy(copy, payload, message->length); /* reads all of it */
    if (has_room && message->kind == MESSAGE_CTS_DUAL)
        cts_dual(peer, (const struct cts_dual *)(const void *)copy);
    return has_room;
}

/* Touches all of this process's memory that the copy is about. */
static int copy_nothing(struct peer *peer, bool is_put, struct iovec *here, int pieces, struct iovec *there,
                        int pieces_there)
{
    unsigned char copy[2 * BUFFER];

    (void)peer;
    if (pieces_there && (uintptr_t)there->iov_base % 2)
        return MPI_ERR_OTHER;
    for (int i = 0; i < pieces; i++) {
        expect(!is_put || here[i].iov_len <= sizeof copy);
        if (is_put)
            memcpy(copy, here[i].iov_base, here[i].iov_len);
        else
            memset(here[i].iov_base, 1, here[i].iov_len);
    }
    return MPI_SUCCESS;
}

static void *get_line(struct peer *peer, bool incoming)
{
    return &line[peer->process][incoming];
}

static void *map_some(struct peer *peer, uint64_t address, size_t bytes)
{
    static unsigned char memory[2 * BUFFER];

    (void)peer;
    return address % 3 == 1 && bytes <= sizeof memory ? memory : NULL;
}

/* Every third buffer cannot be exposed; what is, must be concealed in the end. */
static int exposed;

static struct memory_region *expose(const void *memory, size_t bytes, enum exposure exposure,
                                    struct exposed *told)
{
    *told = (struct exposed){(uint64_t)(uintptr_t)memory, 1, exposure};
    exposed += bytes % 3 != 0;
    return bytes % 3 ? (struct memory_region *)&exposed : NULL;
}

static void conceal(struct memory_region *mr)
{
    expect((void *)mr == &exposed && exposed-- > 0);
}

/* Its end comes as a message. */
static bool read_some(struct peer *peer, void *to, const struct exposed *from, uint64_t offset, size_t bytes,
                      const struct message *done)
{
    (void)peer, (void)offset;
    expect(from->key && bytes && done->length == 0);
    expect(done->kind == (from->exposure == EXPOSED_WINDOW ? MESSAGE_COPIED : MESSAGE_READ));
    memset(to, 2, bytes);
    return from->key % 2;
}

static bool write_some(struct peer *peer, const void *from, const struct exposed *to, uint64_t offset,
                       size_t bytes, const struct message *done)
{
    (void)peer, (void)from, (void)offset;
    expect(to->key && bytes && done->length == 0 && done->kind == MESSAGE_COPIED);
    return bytes % 5;
}

static const struct transport_limits *get_limits(const struct peer *peer)
{
    static const struct transport_limits limits = {.message_max = 256, .message_best = 128};

    (void)peer;
    return &limits;
}

static const struct transport transport = {.name = "fuzz",
                                           .eager_limit = HINT_EAGER_LIMIT,
                                           .limits = get_limits,
                                           .send = take_message,
                                           .map = map_some,
                                           .copy = copy_nothing,
                                           .expose = expose,
                                           .conceal = conceal,
                                           .read = read_some,
                                           .write = write_some,
                                           .line = get_line};

/* What src/net does, for one arrival at a time. */
struct peer **net_peers[NET_LANES] = {table};

struct peer *net_connect(int lane, int process)
{
    (void)lane;
    return table[process];
}

bool net_poll(int lane, struct arrival *arrival)
{
    (void)lane;
    *arrival = next;
    return has_next;
}

bool net_open_lanes(bool is_near)
{
    (void)is_near;
    return true;
}

bool net_shares_host(const int *process, int count)
{
    (void)process;
    (void)count;
    return true;
}

bool net_has_sent_all(void)
{
    return true;
}

bool net_spans_hosts(void)
{
    return false;
}

int net_nobody(void)
{
    return INT_MAX;
}

uint64_t net_host(void)
{
    return 0;
}

int net_admit(bool through_network)
{
    (void)through_network;
    return MPI_SUCCESS;
}

void net_release(const struct arrival *arrival)
{
    (void)arrival;
    has_next = false;
}

static void arrive(int from, const struct message *message, const void *payload)
{
    unsigned char *exact = malloc(message->length);

    if (message->length)
        memcpy(exact, payload, message->length);
    next = (struct arrival){message, exact, &peers[from]};
    has_next = true;
    p2p_poll(true);
    expect(!has_next);
    free(exact);
}

/* The handle of an operation of ours, or nearly so. */
static uint64_t take_handle(void)
{
    int which = take_byte();
    uint64_t handle = live_count ? object_handle(&live[which % live_count].request->object) : 0;

    return which & 128 ? handle ^ (uint64_t)take_byte() << 8 * (which & 7) : handle;
}

static uint32_t usual_length(int kind, uint32_t length)
{
    switch (kind) {
    case MESSAGE_RTS:
        return length % 2 ? sizeof(struct ipc_rts) : sizeof(struct rts);
    case MESSAGE_FIN:
        return sizeof(struct fin);
    case MESSAGE_CTS:
        return sizeof(struct cts);
    case MESSAGE_DATA:
        return length % 16;
    case MESSAGE_PUT:
        return sizeof(struct put);
    case MESSAGE_READ:
    case MESSAGE_COPIED:
        return 0;
    case MESSAGE_CTS_DUAL:
        return sizeof(struct cts_dual);
    case MESSAGE_FIN_DUAL:
        return sizeof(struct fin_dual);
    default:
        return length;
    }
}

/* Puts what else a call for help says behind the handles of sender and receiver. */
static void make_help(unsigned char *payload)
{
    struct cts_dual cts_dual;

    memcpy(&cts_dual, payload, sizeof cts_dual);
    cts_dual.bytes = 2 * (uint64_t)take_byte();
    cts_dual.address = (uint64_t)take_byte();
    cts_dual.chunk = 2048 * (uint64_t)(take_byte() % 4);
    cts_dual.number = (uint32_t)take_byte() % 4;
    cts_dual.chunk_queue = (uint32_t)take_byte() % 5;
    memcpy(payload, &cts_dual, sizeof cts_dual);
}

static void receive_anything(void)
{
    unsigned char payload[256] = {0};
    int from = take_byte() % PEERS;
    struct message m = {.kind = (uint8_t)(take_byte() % 11), .plane = (uint8_t)(take_byte() % 4)};
    uint64_t word;

    m.context = take_byte() % 4 ? KNOWN : LATE;
    m.source = take_byte() % 8 - 2;
    m.tag = take_byte() % 8 - 2;
    m.length = (uint32_t)take_byte();
    word = take_handle();
    if (m.kind == MESSAGE_DATA || m.kind == MESSAGE_READ || m.kind == MESSAGE_COPIED)
        m.context = word;
    memcpy(payload + (m.kind == MESSAGE_RTS ? 16 : 0), &word, sizeof word);
    word = m.kind == MESSAGE_CTS ? take_handle() : (uint64_t)take_byte();
    memcpy(payload + (m.kind == MESSAGE_RTS ? 0 : 8), &word, sizeof word);
    payload[m.kind == MESSAGE_RTS ? 8 : 16] = (uint8_t)take_byte();
    payload[m.kind == MESSAGE_CTS || m.kind == MESSAGE_RTS ? 24 : 255] = (uint8_t)take_byte();
    if (m.kind == MESSAGE_CTS_DUAL)
        make_help(payload);
    if (take_byte() % 4)
        m.length = usual_length(m.kind, m.length);
    arrive(from, &m, payload);
}

static void post_receive(void)
{
    int bytes = take_byte(), source = take_byte() % (PEERS + 1) - 1, tag = take_byte() % 5 - 1;
    struct fuzz_operation o = {.buffer = malloc((size_t)bytes)};

    if (live_count == LIVE ||
        p2p_irecv(o.buffer, bytes, datatype_predefined(MPI_BYTE), source < 0 ? MPI_ANY_SOURCE : source,
                  tag < 0 ? MPI_ANY_TAG : tag, known, (enum plane)(take_byte() & 1), &o.request))
        free(o.buffer);
    else
        live[live_count++] = o;
}

static void post_send(void)
{
    struct fuzz_operation o = {0};
    int bytes = take_byte() * 2, dest = take_byte() % PEERS;

    if (live_count < LIVE &&
        p2p_isend(sent, bytes, datatype_predefined(MPI_BYTE), dest, take_byte() % 4, known, PLANE_P2P,
                  (enum send_mode)(take_byte() % 3), &o.request) == MPI_SUCCESS)
        live[live_count++] = o;
}

/* Of some pieces, of which the transport may take no more than the first. */
static void copy_pieces(void)
{
    size_t bytes = (size_t)take_byte() + 3;
    struct fuzz_operation o = {.buffer = malloc(3 * bytes)};
    struct exposed there = {4096, 1 + (uint64_t)(take_byte() % 2), EXPOSED_WINDOW};
    struct exposed_piece piece[3];
    struct exposed_copy copy = {.comm = known,
                                .rank = take_byte() % PEERS,
                                .there = &there,
                                .is_put = take_byte() & 1,
                                .piece = piece,
                                .pieces = 1 + take_byte() % 3};

    for (size_t i = 0; i < 3; i++)
        piece[i] = (struct exposed_piece){o.buffer + i * bytes, i, bytes - i};
    if (live_count == LIVE || exposed_copy_begin(&copy, &o.request) || !o.request)
        free(o.buffer);
    else
        live[live_count++] = o;
}

static void release(int i)
{
    struct request *r = live[i].request;

    expect(r->kind == REQUEST_SEND || transfer_of(r)->peer || r->status.cancelled); /* it has matched */
    request_unref(r);
    free(live[i].buffer);
    live[i] = live[--live_count];
}

static void release_done(void)
{
    for (int i = live_count; i-- > 0;)
        if (request_is_done(live[i].request))
            release(i);
}

static void finish_dual_copy(struct request *r)
{
    struct fin_dual fin_dual = {.receiver = object_handle(&r->object)};
    struct message m = {.kind = MESSAGE_FIN_DUAL, .length = sizeof fin_dual};

    arrive(transfer_of(r)->peer->process, &m, &fin_dual);
}

static void finish_receive(struct request *r)
{
    struct transfer *t = transfer_of(r);
    struct message m = {.kind = MESSAGE_DATA, .context = object_handle(&r->object)};
    unsigned char payload[BUFFER] = {0};

    if (!t->peer) {
        p2p_cancel_recv(r);
        return;
    }
    if (t->awaits_dual_copy) {
        finish_dual_copy(r);
        return;
    }
    if (t->awaits_copy) {
        m.kind = MESSAGE_COPIED;
        for (size_t left = t->total - t->moved; left > 0; left--)
            arrive(t->peer->process, &m, payload);
        return;
    }
    if (t->awaits_read) {
        m.kind = MESSAGE_READ;
        arrive(t->peer->process, &m, payload);
        return;
    }
    expect(t->awaits_data && t->moved < t->total);
    m.length = (uint32_t)(t->total - t->moved);
    arrive(t->peer->process, &m, payload);
}

static void finish_send(struct request *r)
{
    struct fin fin = {object_handle(&r->object)};
    struct message m = {.kind = MESSAGE_FIN, .length = sizeof fin};

    expect(transfer_of(r)->awaits_cts);
    arrive(transfer_of(r)->peer->process, &m, &fin);
}

/* An honest end: with room and the answers that are due, everything completes. */
static void finish(void)
{
    has_room = true;
    while (lanes[0].stuck_count || !list_is_empty(&lanes[0].sending))
        p2p_poll(true);
    release_done();
    for (int i = live_count; i-- > 0;) {
        if (live[i].request->kind == REQUEST_RECV)
            finish_receive(live[i].request);
        else
            finish_send(live[i].request);
        expect(request_is_done(live[i].request));
    }
    release_done();
    expect(live_count == 0 && !lanes[0].stuck_count && exposed == 0);
}

static struct comm *open_comm(uint64_t context)
{
    static const int process[PEERS] = {0, 1, 2};
    struct group *group;
    struct comm *comm;

    expect(group_new(PEERS, process, &group) == MPI_SUCCESS);
    expect(comm_new(context, group, &comm) == MPI_SUCCESS);
    group_unref(group);
    return comm;
}

/* Its last reference goes, and with it the messages that nobody received. */
static void close_comm(struct comm *comm)
{
    comm_unref(comm);
    p2p_poll(true);
}

static void start(void)
{
    hint_process_init();
    boot.size = PEERS;
    errhandler_init();
    datatype_init();
    group_init();
    p2p_open();
    for (int i = 0; i < PEERS; i++) {
        peers[i] = (struct peer){.process = i, .transport = &transport, .message_max = 100};
        list_init(&peers[i].waiting);
        table[i] = &peers[i];
    }
    hint_process.value[HINT_EAGER_LIMIT] = 100;
    hint_process.value[HINT_JOINT_LIMIT] = 64;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const steps[])(void) = {receive_anything, receive_anything, post_receive,
                                          post_send,        release_done,     copy_pieces};
    struct comm *late;

    if (!table[0])
        start();
    input.at = data;
    input.end = data + size;
    known = open_comm(KNOWN);
    while (input.at < input.end) {
        int step = take_byte();

        has_room = step & 128;
        steps[step % (int)(sizeof steps / sizeof *steps)]();
        p2p_poll(true);
    }
    finish();
    late = open_comm(LATE);
    expect(match_of(late, &lanes[0]) != NULL); /* adopts the orphans */
    close_comm(late);
    close_comm(known);
    expect(pool_live(&request_pool) == 1 && pool_live(&comm_pool) == 0); /* request_done_send() */
    return 0;
}
