/* ranks: 2 3 5 8 also: INKLING_CMA=false also: INKLING_RING_SIZE=4096 also: INKLING_EAGER_LIMIT=64 */
/* Random messages between random ranks: sizes, tags, modes, wildcards and the order of the calls all vary,
 * and what arrives is compared with what the seed says was sent. P2P_SEED=N repeats a run. */
#include "p2p.h"

#include <stdbool.h>
#include <time.h>

enum {
    ROUNDS = 12,
    MESSAGES = 400, /* per round, all ranks together */
    TAGS = 3,
    MOST = 200000
};

struct plan {
    int source, dest, tag, bytes, mode;
    unsigned number;
};

static uint64_t state;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % below;
}

static uint64_t choose_seed(void)
{
    const char *given = getenv("P2P_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);

    CHECK_EQ(MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0)
        printf("P2P_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    return seed;
}

static int draw_length(void)
{
    switch (draw(6)) {
    case 0:
        return (int)draw(3);
    case 1:
        return 30 + (int)draw(20);
    case 2:
        return 4080 + (int)draw(30);
    case 3:
        return (int)draw(MOST);
    default:
        return (int)draw(2000);
    }
}

/* The same on every rank. */
static void make_plan(struct plan *plan)
{
    for (int i = 0; i < MESSAGES; i++)
        plan[i] = (struct plan){.source = (int)draw((unsigned)size),
                                .dest = (int)draw((unsigned)size),
                                .tag = (int)draw(TAGS),
                                .bytes = draw_length(),
                                .mode = (int)draw(4),
                                .number = (unsigned)i};
}

/* How a round receives. MIXED: each receive names source and tag, or one of them, or none; all that is
 * checked then is that each source's messages come in order among those that a receive could take. */
enum how {
    EXACT,
    ANY_SOURCE,
    ANY_TAG,
    ANYTHING,
    HOWS
};

struct slot {
    unsigned char *buffer;
    int source, tag;
};

static bool fits(const struct plan *p, int source, int tag)
{
    return p->dest == rank && (source == MPI_ANY_SOURCE || p->source == source) &&
           (tag == MPI_ANY_TAG || p->tag == tag);
}

/* The message that this receive got is the first of its source that it could have got and that is still out.
 */
static void check_received(const struct plan *plan, bool *out, const struct slot *s, MPI_Status *status)
{
    int i = 0;

    while (i < MESSAGES &&
           !(out[i] && plan[i].source == status->MPI_SOURCE && fits(&plan[i], s->source, s->tag)))
        i++;
    CHECK(i < MESSAGES);
    out[i] = false;
    CHECK_STATUS(status, plan[i].source, plan[i].tag, plan[i].bytes);
    CHECK_EQ(find_wrong(s->buffer, (size_t)plan[i].bytes, plan[i].number), -1);
}

static void start_send(const struct plan *p, unsigned char *buffer, MPI_Request *request)
{
    fill(buffer, (size_t)p->bytes, p->number);
    if (p->mode == 0)
        CHECK_EQ(MPI_Issend(buffer, p->bytes, MPI_BYTE, p->dest, p->tag, MPI_COMM_WORLD, request),
                 MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Isend(buffer, p->bytes, MPI_BYTE, p->dest, p->tag, MPI_COMM_WORLD, request),
                 MPI_SUCCESS);
}

/* Sends and receives of this rank, each in their order, interleaved at random. */
struct round {
    struct plan plan[MESSAGES];
    struct slot slot[MESSAGES];
    unsigned char *sent[MESSAGES];
    MPI_Request sends[MESSAGES], receives[MESSAGES];
    MPI_Status statuses[MESSAGES];
    int send_count, receive_count;
};

static void post(struct round *r, const struct plan *p, enum how how)
{
    struct slot *s = &r->slot[r->receive_count];

    s->source = how == ANY_SOURCE || how == ANYTHING ? MPI_ANY_SOURCE : p->source;
    s->tag = how == ANY_TAG || how == ANYTHING ? MPI_ANY_TAG : p->tag;
    s->buffer = malloc(MOST);
    CHECK_EQ(MPI_Irecv(s->buffer, MOST, MPI_BYTE, s->source, s->tag, MPI_COMM_WORLD,
                       &r->receives[r->receive_count++]),
             MPI_SUCCESS);
}

static void start_round(struct round *r, enum how how, uint64_t *mine)
{
    int next_send = 0, next_receive = 0;

    r->send_count = r->receive_count = 0;
    state = *mine;
    while (next_send < MESSAGES || next_receive < MESSAGES) {
        int *next =
            next_receive == MESSAGES || (next_send < MESSAGES && draw(2)) ? &next_send : &next_receive;
        const struct plan *p = &r->plan[(*next)++];

        if (next == &next_send && p->source == rank) {
            r->sent[r->send_count] = malloc((size_t)p->bytes + 1);
            start_send(p, r->sent[r->send_count], &r->sends[r->send_count]);
            r->send_count++;
        }
        if (next == &next_receive && p->dest == rank)
            post(r, p, how);
        if (draw(20) == 0)
            CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &(int){0}, MPI_STATUS_IGNORE),
                     0);
    }
    *mine = state;
}

/* In a random one of the ways to wait. */
static void finish_receives(struct round *r, unsigned way)
{
    int done = 0, index, count, indices[MESSAGES];
    static MPI_Status some[MESSAGES];

    if (way == 0)
        CHECK_EQ(MPI_Waitall(r->receive_count, r->receives, r->statuses), MPI_SUCCESS);
    for (int i = 0; way == 1 && i < r->receive_count; i++) {
        CHECK_EQ(MPI_Waitany(r->receive_count, r->receives, &index, &some[0]), MPI_SUCCESS);
        r->statuses[index] = some[0];
    }
    while (way == 2 && done < r->receive_count) {
        CHECK_EQ(MPI_Waitsome(r->receive_count, r->receives, &count, indices, some), MPI_SUCCESS);
        for (int k = 0; k < count; k++)
            r->statuses[indices[k]] = some[k];
        done += count;
    }
}

static void end_round(struct round *r, unsigned way)
{
    bool out[MESSAGES];

    finish_receives(r, way);
    CHECK_EQ(MPI_Waitall(r->send_count, r->sends, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < MESSAGES; i++)
        out[i] = r->plan[i].dest == rank;
    for (int i = 0; i < r->receive_count; i++) {
        check_received(r->plan, out, &r->slot[i], &r->statuses[i]);
        free(r->slot[i].buffer);
    }
    for (int i = 0; i < r->send_count; i++)
        free(r->sent[i]);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    static struct round round;
    uint64_t seed, shared, mine;

    MPI_Init(&argc, &argv);
    set_up();
    seed = choose_seed();
    shared = seed * 0x9e3779b97f4a7c15u + 1;
    mine = (seed + (uint64_t)rank + 1) * 0xd1342543de82ef95u + 1;
    for (int i = 0; i < ROUNDS; i++) {
        state = shared;
        make_plan(round.plan);
        shared = state;
        start_round(&round, (enum how)(i % HOWS), &mine);
        end_round(&round, (unsigned)i % 3);
    }
    MPI_Finalize();
    return 0;
}
