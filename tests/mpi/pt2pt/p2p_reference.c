/* ranks: 2 3 5 8 timeout: 90 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K also: INKLING_EAGER_LIMIT=64
 * also: P2P_THREADS=1 also: P2P_THREADS=1,INKLING_LANES=1 */
/* Random messages against a reference of MPI's matching rules.
 *
 * A seed gives every rank the same plan: who sends whom what on which communicator, with which tag, size and
 * mode. Each rank starts its sends in the plan's order and receives as it likes: receives that name source
 * and tag or wildcards, plain or persistent, probed first, matched probes, receives cancelled in between.
 * What a wildcard takes from another receive is made up for at the end: what no receive waits for is drained
 * by matched probes, and the receives that are left over are cancelled.
 *
 * The check is exact. Receives stand in the order of their posting. Each got the first message of its source
 * that fits and that no earlier receive got (messages do not overtake, section 3.5). A receive r that fits a
 * message m, but m went to a receive posted later, must have been taken by a message that came before m; so
 * "came before", together with each source's order, must be free of cycles.
 *
 * The third communicator carries receives of exact length, with source and tag, and each rank draws anew
 * which assertions it makes there.
 *
 * P2P_THREADS is set: under MPI_THREAD_MULTIPLE, where communicators take different lanes.
 * P2P_SEED=N repeats a run; MESSAGES=N is how many messages all ranks send, about. */
#include "p2p.h"

#include <stdbool.h>
#include <time.h>

enum {
    COMMS = 3,
    EXACT = 2, /* the communicator of exact receives */
    TAGS = 4,
    READY_TAG = TAGS, /* its receives are posted before the round begins */
    PARTITION_TAG = 7,
    MOST = 160,            /* messages of a round, all ranks together */
    LIMIT = 2 * MOST + 40, /* receives of a round, with those that are cancelled and posted again */
    DEFAULT_MESSAGES = 12000
};

enum mode {
    STANDARD,
    SYNCHRONOUS,
    BUFFERED,
    READY,
    PERSISTENT,
    MODES
};

struct plan {
    int source, dest, comm, tag, bytes;
    enum mode mode;
    uint64_t number;
};

struct receive {
    int comm, source, tag; /* as asked for */
    unsigned char *buffer;
    MPI_Request request;
    MPI_Status status;
    bool done, withdrawn; /* withdrawn: cancelled while more messages could come */
    int got;              /* index of the message in the plan; -1: none */
};

static MPI_Comm comms[COMMS];
static struct plan plan[MOST];
static int planned, room;
static struct receive receives[LIMIT];
static int posted, got, expected;
static unsigned char *receive_memory, *send_memory;
static MPI_Request sends[MOST];
static int started;
static uint64_t state; /* of the draws that this rank makes now */

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % below;
}

/* Bytes: words that count up from the message's number. */

static void fill_words(unsigned char *to, int bytes, uint64_t number)
{
    uint64_t word = number * 0x9e3779b97f4a7c15u;
    int i = 0;

    for (; i + 8 <= bytes; i += 8, word++)
        memcpy(to + i, &word, 8);
    memcpy(to + i, &word, (size_t)(bytes - i));
}

static bool has_words(const unsigned char *at, int bytes, uint64_t number)
{
    uint64_t word = number * 0x9e3779b97f4a7c15u, wrong = 0, there;
    int i = 0;

    for (; i + 8 <= bytes; i += 8, word++) {
        memcpy(&there, at + i, 8);
        wrong |= there ^ word;
    }
    return !wrong && memcmp(at + i, &word, (size_t)(bytes - i)) == 0;
}

/* The plan. */

/* Most rounds have small messages, some large ones, and then fewer. */
static void draw_sizes(void)
{
    switch (draw(12)) {
    case 0:
        room = 1600 * 1024;
        planned = 6 + (int)draw(8);
        break;
    case 1:
    case 2:
    case 3:
        room = 96 * 1024;
        planned = 20 + (int)draw(40);
        break;
    default:
        room = 6 * 1024;
        planned = MOST - (int)draw(40);
    }
}

static int draw_bytes(void)
{
    switch (draw(5)) {
    case 0:
        return (int)draw(3);
    case 1:
        return 30 + (int)draw(40);
    case 2:
        return (int)draw((unsigned)room + 1);
    default:
        return (int)draw(room < 4200 ? (unsigned)room : 4200);
    }
}

static void make_plan(uint64_t *number)
{
    draw_sizes();
    for (int i = 0; i < planned; i++) {
        struct plan *p = &plan[i];

        *p = (struct plan){.source = (int)draw((unsigned)size),
                           .dest = (int)draw((unsigned)size),
                           .comm = (int)draw(COMMS),
                           .tag = (int)draw(TAGS),
                           .bytes = draw_bytes(),
                           .mode = (enum mode)draw(MODES),
                           .number = (*number)++};
        if (p->comm == EXACT && draw(4)) /* one might be taken for another */
            p->bytes = room - room / 8;
        if (p->mode == READY)
            p->tag = READY_TAG;
    }
}

/* Ranks differ from one communicator to the next. */
static int rank_on(int comm, int world_rank)
{
    return comm == 1 ? size - 1 - world_rank : world_rank;
}

/* Sending. */

static unsigned char *send_buffer(const struct plan *p)
{
    return send_memory + (size_t)(p - plan) * (size_t)room;
}

static void start_send(const struct plan *p)
{
    unsigned char *buffer = send_buffer(p);
    int dest = rank_on(p->comm, p->dest), error;
    MPI_Request *request = &sends[started++];
    MPI_Comm comm = comms[p->comm];

    fill_words(buffer, p->bytes, p->number);
    switch (p->mode) {
    case SYNCHRONOUS:
        error = MPI_Issend(buffer, p->bytes, MPI_BYTE, dest, p->tag, comm, request);
        break;
    case BUFFERED:
        error = MPI_Ibsend(buffer, p->bytes, MPI_BYTE, dest, p->tag, comm, request);
        break;
    case READY:
        error = MPI_Irsend(buffer, p->bytes, MPI_BYTE, dest, p->tag, comm, request);
        break;
    case PERSISTENT:
        CHECK_EQ(MPI_Send_init(buffer, p->bytes, MPI_BYTE, dest, p->tag, comm, request), MPI_SUCCESS);
        error = MPI_Start(request);
        break;
    default:
        error = MPI_Isend(buffer, p->bytes, MPI_BYTE, dest, p->tag, comm, request);
    }
    CHECK_EQ(error, MPI_SUCCESS);
}

/* Receiving. */

static struct receive *new_receive(int comm, int source, int tag)
{
    struct receive *r = &receives[posted];

    CHECK(posted < 2 * planned + 40);
    *r = (struct receive){.comm = comm, .source = source, .tag = tag, .request = MPI_REQUEST_NULL, .got = -1};
    r->buffer = receive_memory + (size_t)posted * (size_t)room;
    posted++;
    return r;
}

static void finish(struct receive *r)
{
    int cancelled;

    CHECK_EQ(MPI_Test_cancelled(&r->status, &cancelled), MPI_SUCCESS);
    r->done = true;
    r->withdrawn = cancelled;
    got += !cancelled;
    if (r->request != MPI_REQUEST_NULL)
        CHECK_EQ(MPI_Request_free(&r->request), MPI_SUCCESS);
}

static void post(struct receive *r, int bytes)
{
    int error;

    if (draw(4) == 0) {
        CHECK_EQ(MPI_Recv_init(r->buffer, bytes, MPI_BYTE, r->source, r->tag, comms[r->comm], &r->request),
                 MPI_SUCCESS);
        error = MPI_Start(&r->request);
    } else {
        error = MPI_Irecv(r->buffer, bytes, MPI_BYTE, r->source, r->tag, comms[r->comm], &r->request);
    }
    CHECK_EQ(error, MPI_SUCCESS);
}

static void cancel(struct receive *r)
{
    CHECK_EQ(MPI_Cancel(&r->request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r->request, &r->status), MPI_SUCCESS);
    finish(r);
}

/* What a probe finds is received as by a receive that is posted now and asks for the same. */
static bool receive_probed(int comm, int source, int tag)
{
    struct receive *r;
    MPI_Message message;
    MPI_Status seen;
    int found, bytes;
    bool matched = draw(2);

    if (matched)
        CHECK_EQ(MPI_Improbe(source, tag, comms[comm], &found, &message, &seen), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Iprobe(source, tag, comms[comm], &found, &seen), MPI_SUCCESS);
    if (!found)
        return false;
    r = new_receive(comm, source, tag);
    CHECK_EQ(MPI_Get_count(&seen, MPI_BYTE, &bytes), MPI_SUCCESS);
    if (matched)
        CHECK_EQ(MPI_Mrecv(r->buffer, bytes, MPI_BYTE, &message, &r->status), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Recv(r->buffer, bytes, MPI_BYTE, seen.MPI_SOURCE, seen.MPI_TAG, comms[comm], &r->status),
                 MPI_SUCCESS);
    CHECK_STATUS(&r->status, seen.MPI_SOURCE, seen.MPI_TAG, bytes);
    finish(r);
    return true;
}

/* On the exact communicator the order of the receives is that of the messages, so a receive that is cancelled
 * is posted again at once. */
static void receive_exactly(const struct plan *p)
{
    int source = rank_on(p->comm, p->source);
    struct receive *r;

    if (draw(6) == 0 && receive_probed(p->comm, source, p->tag))
        return;
    r = new_receive(p->comm, source, p->tag);
    post(r, p->bytes);
    if (draw(8) || posted > planned)
        return;
    cancel(r);
    if (r->withdrawn)
        receive_exactly(p);
}

static void receive_somehow(const struct plan *p)
{
    int source = draw(3) ? rank_on(p->comm, p->source) : MPI_ANY_SOURCE;
    int tag = draw(3) ? p->tag : MPI_ANY_TAG;

    if (draw(6) == 0 && receive_probed(p->comm, source, tag))
        return;
    post(new_receive(p->comm, source, tag), room);
}

static void cancel_one(void)
{
    struct receive *r = posted ? &receives[draw((unsigned)posted)] : NULL;

    if (r && !r->done && r->comm != EXACT && r->tag != READY_TAG)
        cancel(r);
}

static void test_receives(void)
{
    for (int i = 0; i < posted; i++) {
        struct receive *r = &receives[i];
        int done;

        if (r->done)
            continue;
        CHECK_EQ(MPI_Test(&r->request, &done, &r->status), MPI_SUCCESS);
        if (done)
            finish(r);
    }
}

/* Ready sends find their receives posted. */
static void post_ready(void)
{
    for (int i = 0; i < planned; i++)
        if (plan[i].dest == rank && plan[i].mode == READY)
            post(new_receive(plan[i].comm, rank_on(plan[i].comm, plan[i].source), READY_TAG),
                 plan[i].comm == EXACT ? plan[i].bytes : room);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

/* The sends and receives of this rank, each in their order, interleaved at random. */
static void start_all(void)
{
    int next_send = 0, next_receive = 0;

    while (next_send < planned || next_receive < planned) {
        bool is_send = next_receive == planned || (next_send < planned && draw(2));
        const struct plan *p = &plan[is_send ? next_send++ : next_receive++];

        if (is_send && p->source == rank)
            start_send(p);
        if (!is_send && p->dest == rank && p->mode != READY) {
            expected++;
            if (p->comm == EXACT)
                receive_exactly(p);
            else
                receive_somehow(p);
        }
        expected += !is_send && p->dest == rank && p->mode == READY;
        if (draw(40) == 0)
            cancel_one();
        if (draw(40) == 0)
            test_receives();
    }
}

/* Until everything has come; what no receive asks for is taken by wildcards. */
static void drain(void)
{
    while (test_receives(), got < expected)
        for (int comm = 0; comm < COMMS && got < expected; comm++)
            if (comm != EXACT)
                receive_probed(comm, MPI_ANY_SOURCE, MPI_ANY_TAG);
    for (int i = 0; i < posted; i++)
        if (!receives[i].done) {
            cancel(&receives[i]);
            CHECK(receives[i].withdrawn);
            receives[i].withdrawn = false; /* it must fit nothing that a later receive got */
        }
    CHECK_EQ(got, expected);
    CHECK_EQ(MPI_Waitall(started, sends, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < started; i++)
        if (sends[i] != MPI_REQUEST_NULL)
            CHECK_EQ(MPI_Request_free(&sends[i]), MPI_SUCCESS);
}

/* The reference. */

static int receiver_of[MOST]; /* by message: its receive, -1: none yet */

static bool fits(const struct receive *r, const struct plan *p)
{
    return p->dest == rank && p->comm == r->comm &&
           (r->source == MPI_ANY_SOURCE || r->source == rank_on(p->comm, p->source)) &&
           (r->tag == MPI_ANY_TAG || r->tag == p->tag);
}

/* The message that receive i got is the first of its source that fits and that is left. */
static void identify(int i)
{
    struct receive *r = &receives[i];
    int m = 0;

    while (m < planned && !(receiver_of[m] < 0 && fits(r, &plan[m]) &&
                            rank_on(r->comm, plan[m].source) == r->status.MPI_SOURCE))
        m++;
    CHECK(m < planned);
    CHECK_STATUS(&r->status, rank_on(r->comm, plan[m].source), plan[m].tag, plan[m].bytes);
    CHECK(has_words(r->buffer, plan[m].bytes, plan[m].number));
    receiver_of[m] = i;
    r->got = m;
}

static bool before[MOST][MOST]; /* message a came before message b */

static void find_order(void)
{
    memset(before, 0, sizeof before);
    for (int m = 0; m < planned; m++) {
        if (receiver_of[m] < 0)
            continue;
        for (int i = 0; i < receiver_of[m]; i++) {
            const struct receive *r = &receives[i];

            if (r->withdrawn || !fits(r, &plan[m]))
                continue;
            CHECK(r->got >= 0); /* else it waited while a later one was served */
            before[r->got][m] = true;
        }
        for (int n = m + 1; n < planned; n++)
            if (plan[n].source == plan[m].source && plan[n].comm == plan[m].comm && receiver_of[n] >= 0)
                before[m][n] = true;
    }
}

/* Takes out whatever nothing left came before, until all are out. */
static void check_order(void)
{
    int waits_for[MOST] = {0}, ready[MOST], count = 0, out = 0, all = 0;

    for (int m = 0; m < planned; m++) {
        all += receiver_of[m] >= 0;
        for (int n = 0; n < planned; n++)
            waits_for[m] += before[n][m];
        if (receiver_of[m] >= 0 && waits_for[m] == 0)
            ready[count++] = m;
    }
    while (out < count) {
        int m = ready[out++];

        for (int n = 0; n < planned; n++)
            if (before[m][n] && --waits_for[n] == 0)
                ready[count++] = n;
    }
    CHECK_EQ(out, all);
}

static void check_round(void)
{
    for (int m = 0; m < planned; m++)
        receiver_of[m] = -1;
    for (int i = 0; i < posted; i++) {
        int cancelled;

        CHECK_EQ(MPI_Test_cancelled(&receives[i].status, &cancelled), MPI_SUCCESS);
        if (!cancelled)
            identify(i);
    }
    for (int m = 0; m < planned; m++)
        CHECK_EQ(receiver_of[m] >= 0, plan[m].dest == rank);
    find_order();
    check_order();
}

/* One partitioned message to the right, cut differently on both sides. */
static void start_partitioned(int bytes, int out_parts, int in_parts, unsigned char *memory, uint64_t number,
                              MPI_Request *request)
{
    int total = bytes * out_parts * in_parts, right = (rank + 1) % size, left = (rank + size - 1) % size;

    fill_words(memory, total, number + (uint64_t)rank);
    CHECK_EQ(MPI_Psend_init(memory, out_parts, bytes * in_parts, MPI_BYTE, right, PARTITION_TAG,
                            MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(memory + total, in_parts, bytes * out_parts, MPI_BYTE, left, PARTITION_TAG,
                            MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Startall(2, request), MPI_SUCCESS);
    for (int i = 0, first = (int)draw((unsigned)out_parts); i < out_parts; i++)
        CHECK_EQ(MPI_Pready((first + i) % out_parts, request[0]), MPI_SUCCESS);
}

static void finish_partitioned(int total, unsigned char *memory, uint64_t number, MPI_Request *request)
{
    CHECK_EQ(MPI_Waitall(2, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK(has_words(memory + total, total, number + (uint64_t)((rank + size - 1) % size)));
    CHECK_EQ(MPI_Request_free(&request[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&request[1]), MPI_SUCCESS);
}

static void run_round(uint64_t number, int bytes, int out_parts, int in_parts)
{
    MPI_Request parts[2];
    int total = bytes * out_parts * in_parts;
    unsigned char *memory = malloc(2 * (size_t)total + 1);

    receive_memory = malloc((size_t)(2 * planned + 40) * (size_t)room + 1);
    send_memory = malloc((size_t)planned * (size_t)room + 1);
    CHECK(memory && receive_memory && send_memory);
    posted = got = expected = started = 0;
    post_ready();
    start_partitioned(bytes, out_parts, in_parts, memory, number, parts);
    start_all();
    drain();
    check_round();
    finish_partitioned(total, memory, number, parts);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS); /* nobody's next message is drained */
    free(memory);
    free(receive_memory);
    free(send_memory);
}

/* Each rank asserts what it likes; all of it is true. */
static void draw_assertions(void)
{
    static const char *const key[] = {"mpi_assert_no_any_source", "mpi_assert_no_any_tag",
                                      "mpi_assert_exact_length"};
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(MPI_Info_set(info, key[i], draw(4) ? "true" : "false"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_info(comms[EXACT], info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static uint64_t choose_seed(void)
{
    const char *given = getenv("P2P_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) << 16 ^ (uint64_t)clock();

    CHECK_EQ(MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0)
        printf("P2P_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    return seed;
}

int main(int argc, char **argv)
{
    const char *wanted = getenv("MESSAGES");
    void *buffer;
    int bytes, provided;
    uint64_t seed, shared, mine, number = 0, most = wanted ? strtoull(wanted, NULL, 0) : DEFAULT_MESSAGES;

    MPI_Init_thread(&argc, &argv, getenv("P2P_THREADS") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    set_up();
    seed = choose_seed();
    shared = seed * 0x9e3779b97f4a7c15u + 1;
    mine = (seed + (uint64_t)rank + 1) * 0xd1342543de82ef95u + 1;
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[EXACT]);
    for (int round = 0; number < most; round++) {
        int out_parts, in_parts;

        state = shared;
        make_plan(&number);
        bytes = (int)draw(draw(20) ? 40 : 4000);
        out_parts = 1 + (int)draw(5);
        in_parts = 1 + (int)draw(5);
        shared = state;
        state = mine;
        if (round % 5 == 1)
            draw_assertions();
        run_round(number, bytes, out_parts, in_parts);
        mine = state;
    }
    if (rank == 0)
        printf("%llu messages\n", (unsigned long long)number);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    CHECK_EQ(MPI_Buffer_detach(&buffer, &bytes), MPI_SUCCESS);
    MPI_Finalize();
    return 0;
}
