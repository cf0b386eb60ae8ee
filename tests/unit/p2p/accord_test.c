#include "p2p/transfer.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

/* All members of a group in one process: member m's contexts are its own, and process m * MOST + r is how it sees rank r. What they send each
 * other arrives in order, after any time; who dies has sent a part of what is under way, and others learn of the death behind that. */
static struct peer *model_peer(int lane, int process);
static int model_send(struct peer *peer, const struct message *message, const void *payload,
                      struct request *request);

#define net_peer    model_peer
#define packet_send model_send
#include "p2p/accord.c"

enum {
    MOST = 16,
    ROUNDS = 300, /* with deaths, of each shape */
    AGREEMENTS = 3
};

struct packet {
    struct link link;
    struct message message; /* kind 0: the sender has died */
    unsigned char payload[512];
};

static struct peer peers[MOST * MOST];
static struct link channel[MOST][MOST]; /* from, to */
static struct accord_group group[MOST];
static int process[MOST][MOST];
static struct accord_hosts *hosts;
static int size, sender, messages;
static bool is_dead[MOST];

/* Of each agreement. */
static uint64_t decided;
static bool is_decided, has_decided[MOST], has_begun[MOST];
static uint64_t first_context;

static struct peer *model_peer(int lane, int number)
{
    (void)lane;
    return &peers[number];
}

static int model_send(struct peer *peer, const struct message *message, const void *payload,
                      struct request *request)
{
    int to = peer->process % MOST, from = peer->process / MOST;
    struct packet *p = calloc(1, sizeof *p);

    (void)request;
    assert_non_null(p);
    assert_int_equal(from, sender);
    assert_true(message->length <= sizeof p->payload);
    p->message = *message;
    p->message.context = first_context + (uint64_t)to;
    memcpy(p->payload, payload, message->length);
    list_add(&channel[from][to], &p->link);
    messages++;
    return MPI_SUCCESS;
}

static void deliver(int from, int to)
{
    struct packet *p = LIST_ENTRY(channel[from][to].next, struct packet, link);
    struct peer *peer = &peers[to * MOST + from];

    list_remove(&p->link);
    sender = to;
    if (p->message.kind == 0)
        peer->lost = "it has died";
    else if (!is_dead[to])
        accord_on_message(&p->message, p->payload, peer);
    free(p);
}

static void die(int rank)
{
    is_dead[rank] = true;
    for (int to = 0; to < size; to++) {
        struct packet *last = calloc(1, sizeof *last);

        while (!list_is_empty(&channel[rank][to]) && rand() % 2) {
            struct packet *p = LIST_ENTRY(channel[rank][to].prev, struct packet, link);

            list_remove(&p->link);
            free(p);
        }
        assert_non_null(last);
        list_add(&channel[rank][to], &last->link);
    }
}

/* Rank r says all but bit r; the decision lacks the bits of all who live, and those of no one else than who contributed. */
static void note_decision(int rank, const struct accord_value *v)
{
    uint64_t said = v->value;

    assert_true(!is_decided || said == decided);
    decided = said;
    is_decided = has_decided[rank] = true;
    for (int i = 0; i < size; i++) {
        bool has_said = !(said >> i & 1);

        assert_true(has_begun[i] || !has_said);
        assert_true(has_said || v->sets[0] >> i & 1);
    }
}

static void move_on(int rank, int number)
{
    struct accord *a = accord_find(group[rank].context, number);
    const struct accord_value *v;

    sender = rank;
    if (!has_begun[rank]) {
        struct accord_value *mine = accord_value_new(size);

        mine->value = ~((uint64_t)1 << rank);
        for (int i = 0; i < size; i++)
            if (peers[rank * MOST + i].lost)
                mine->sets[0] |= (uint64_t)1 << i;
        has_begun[rank] = true;
        a = accord_begin(&group[rank], number, mine);
        free(mine);
    }
    v = a ? accord_poll(a) : NULL;
    if (v && !has_decided[rank])
        note_decision(rank, v);
}

static bool have_all_decided(void)
{
    for (int i = 0; i < size; i++)
        if (!is_dead[i] && !has_decided[i])
            return false;
    return true;
}

static int count_dead(void)
{
    int count = 0;

    for (int i = 0; i < size; i++)
        count += is_dead[i];
    return count;
}

/* A random step. `likely`: of a death, in 1000. */
static void take_step(int number, int likely)
{
    int from = rand() % size, to = rand() % size;

    if (!list_is_empty(&channel[from][to]))
        deliver(from, to);
    else if (!is_dead[from])
        move_on(from, number);
    if (rand() % 1000 < likely && !is_dead[to] && count_dead() < size - 1)
        die(to);
}

static void agree_once(int number, int likely)
{
    int left = 1000 * size * size;

    is_decided = false;
    memset(has_decided, 0, sizeof has_decided);
    memset(has_begun, 0, sizeof has_begun);
    while (!have_all_decided() && left-- > 0)
        take_step(number, likely);
    assert_true(have_all_decided());
}

/* `on`: ranks of each host; 0 ends. Ranks are dealt to hosts in turn, so that they are out of order. */
static void open_group(const int *on)
{
    uint64_t key[MOST];
    int used[MOST] = {0}, count = 0;

    size = 0;
    while (on[count])
        size += on[count++];
    for (int r = 0, h = 0; r < size; h = (h + 1) % count)
        if (used[h] < on[h]) {
            used[h]++;
            key[r++] = (uint64_t)(1000 - h);
        }
    hosts = accord_hosts_new(size, key);
    assert_non_null(hosts);
    assert_int_equal(hosts->count, count);
    for (int m = 0; m < size; m++) {
        is_dead[m] = false;
        for (int r = 0; r < size; r++) {
            process[m][r] = m * MOST + r;
            peers[m * MOST + r] = (struct peer){.process = m * MOST + r};
            list_init(&channel[m][r]);
        }
        group[m] = (struct accord_group){first_context + (uint64_t)m, size, m, process[m], hosts};
    }
}

static void close_group(void)
{
    for (int from = 0; from < size; from++)
        for (int to = 0; to < size; to++)
            while (!list_is_empty(&channel[from][to])) {
                struct packet *p = LIST_ENTRY(channel[from][to].next, struct packet, link);

                list_remove(&p->link);
                free(p);
            }
    while (!list_is_empty(&accords))
        accord_free(LIST_ENTRY(accords.next, struct accord, link));
    free(hosts);
    first_context += MOST;
}

static const int shapes[][MOST + 1] = {
    {1},    {2},          {1, 1},    {5},          {1, 1, 1, 1, 1},       {2, 2},    {1, 2}, {3, 1},
    {4, 4}, {2, 2, 2, 2}, {1, 4, 2}, {7, 1, 1, 3}, {1, 1, 1, 5, 1, 2, 3}, {5, 5, 6}, {1, 15}};

enum {
    SHAPES = sizeof shapes / sizeof *shapes
};

static void test_without_deaths(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        open_group(shapes[i]);
        for (int n = 1; n <= AGREEMENTS; n++) {
            agree_once(n, 0);
            assert_int_equal(decided, ~(((uint64_t)1 << size) - 1));
        }
        close_group();
    }
}

/* Only one process of each host sends to other hosts. */
static void test_messages(void **state)
{
    static const struct {
        int on[MOST + 1], messages;
    } rows[] = {{{1, 1}, 2 * 2},
                {{2, 2}, 2 * (4 + 2)},
                {{4, 4}, 2 * (12 + 2)},
                {{1, 4, 2}, 2 * (8 + 6)},
                {{5}, 2 * 8}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_group(rows[i].on);
        messages = 0;
        agree_once(1, 0);
        assert_int_equal(messages, rows[i].messages);
        close_group();
    }
}

static void test_deaths(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++)
        for (int round = 0; round < ROUNDS; round++) {
            open_group(shapes[i]);
            for (int n = 1; n <= AGREEMENTS; n++)
                agree_once(n, 1 + rand() % 30);
            close_group();
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_without_deaths), cmocka_unit_test(test_messages),
                                       cmocka_unit_test(test_deaths)};

    srand(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
