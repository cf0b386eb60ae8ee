#include "p2p/accord.h"

#include "p2p/transfer.h"
#include "plain/fail.h"
#include "plain/log.h"

#include <stdlib.h>
#include <string.h>

enum {
    NEAR_STEPS = 13, /* at most, of a round */
    STEPS = 3 * NEAR_STEPS,
    LARGEST_GROUP = 1 << NEAR_STEPS
};

enum note_kind {
    NOTE_FIRST_ROUND = 1,
    NOTE_SECOND_ROUND,
    NOTE_ASK,
    NOTE_JOIN,
    NOTE_PROPOSE,
    NOTE_STORED,
    NOTE_DECIDED,
    NOTE_KINDS
};

/* The payload of a message; the value follows where the kind has one. Its context is the group's, its tag the agreement's number,
 * its source the sender's rank. */
struct note {
    uint16_t kind, step;
    int32_t size; /* of the group */
    int32_t
        ballot; /* of a proposal: its coordinator's rank + 1; what a joining process has stored: 0: the result of the rounds */
    int32_t unused;
};

enum {
    NOTHING_STORED = -1,
    BALLOT_OF_ROUNDS = 0
};

enum accord_state {
    NOT_BEGUN, /* here; others have */
    IN_ROUNDS,
    COORDINATED,
    DECIDED
};

struct accord {
    struct link link;
    uint64_t context;
    int number, size;
    enum accord_state state;
    const struct accord_group *group; /* until it is decided */

    int round, step;                       /* this process waits for the message of this step */
    uint64_t came[2];                      /* of each round, whose messages have come: bits by step */
    struct accord_value *from_step[STEPS]; /* of the first round */

    struct accord_value *mine; /* the contribution, with what the rounds have added */
    struct accord_value *stored;
    int ballot;  /* of what is stored */
    int listens; /* to no proposal of a smaller ballot */
    int joined;  /* the coordinator that it has joined; -1: none */

    /* Of a coordinator. */
    bool was_asked, has_asked, has_proposed;
    unsigned char *has_joined, *has_stored; /* by rank */
    struct accord_value *together;          /* contributions of those who have joined */
    struct accord_value *found;             /* what they have stored, of the largest ballot */
    int found_ballot;
};

static struct link accords = LIST_INIT(accords);

static size_t accord_value_bytes(int size)
{
    return sizeof(struct accord_value) + 2 * accord_words(size) * sizeof(uint64_t);
}

struct accord_value *accord_value_new(int size)
{
    struct accord_value *v = calloc(1, accord_value_bytes(size));

    if (!v)
        return NULL;
    v->value = ~(uint64_t)0;
    memset(v->sets + accord_words(size), 0xff, accord_words(size) * sizeof(uint64_t));
    return v;
}

static struct accord_value *need_value(int size)
{
    struct accord_value *v = accord_value_new(size);

    if (!v)
        log_die("no memory for an agreement of %d processes", size);
    return v;
}

static void combine(struct accord_value *to, const struct accord_value *from, int size)
{
    size_t words = accord_words(size);

    to->value &= from->value;
    if (to->context < from->context)
        to->context = from->context;
    for (size_t i = 0; i < words; i++) {
        to->sets[i] |= from->sets[i];
        to->sets[words + i] &= from->sets[words + i];
    }
}

static void accord_set(struct accord_value *to, const struct accord_value *from, int size)
{
    memcpy(to, from, accord_value_bytes(size));
}

static void free_work(struct accord *a)
{
    for (int i = 0; i < STEPS; i++)
        free(a->from_step[i]);
    memset(a->from_step, 0, sizeof a->from_step);
    free(a->mine);
    free(a->has_joined);
    free(a->has_stored);
    free(a->together);
    free(a->found);
    a->mine = a->together = a->found = NULL;
    a->has_joined = a->has_stored = NULL;
    a->group = NULL;
}

static void accord_free(struct accord *a)
{
    list_remove(&a->link);
    free_work(a);
    free(a->stored);
    free(a);
}

/* Others may have begun it, and wait for this process: without memory it ends. */
static struct accord *accord_new(uint64_t context, int number, int size)
{
    struct accord *a = calloc(1, sizeof *a);
    unsigned char *joined = calloc((size_t)size, 1), *stored = calloc((size_t)size, 1);

    if (a && joined && stored) {
        *a = (struct accord){.context = context,
                             .number = number,
                             .size = size,
                             .ballot = NOTHING_STORED,
                             .found_ballot = NOTHING_STORED,
                             .joined = -1,
                             .stored = need_value(size),
                             .together = need_value(size),
                             .found = need_value(size),
                             .has_joined = joined,
                             .has_stored = stored};
        list_add(&accords, &a->link);
        return a;
    }
    log_die("no memory for an agreement of %d processes", size);
}

static struct accord *accord_find(uint64_t context, int number)
{
    for (struct link *l = accords.next; l != &accords; l = l->next) {
        struct accord *a = LIST_ENTRY(l, struct accord, link);

        if (a->context == context && a->number == number)
            return a;
    }
    return NULL;
}

static bool is_lost(const struct accord *a, int rank)
{
    const struct peer *peer = rank == a->group->rank ? NULL : net_peer(0, a->group->process[rank]);

    return rank != a->group->rank && (!peer || peer->lost);
}

static bool has_lost_member(const struct accord *a)
{
    for (int i = 0; i < a->size; i++)
        if (is_lost(a, i))
            return true;
    return false;
}

static void send_note(struct peer *to, int rank, const struct accord *a, struct note note,
                      const struct accord_value *value)
{
    size_t bytes = value ? accord_value_bytes(a->size) : 0;
    struct message m = {.kind = MESSAGE_AGREE,
                        .context = a->context,
                        .source = rank,
                        .tag = a->number,
                        .length = (uint32_t)(sizeof note + bytes)};
    unsigned char payload[sizeof note + bytes];

    note.size = a->size;
    memcpy(payload, &note, sizeof note);
    if (value)
        memcpy(payload + sizeof note, value, bytes);
    if (!to->lost && packet_send(to, &m, payload, NULL) == MPI_ERR_NO_MEM)
        log_die("no memory to queue a message of an agreement");
}

static void tell(const struct accord *a, int rank, struct note note, const struct accord_value *value)
{
    struct peer *peer = net_peer(0, a->group->process[rank]);

    if (peer && rank != a->group->rank)
        send_note(peer, a->group->rank, a, note, value);
}

static void accord_tell_all(const struct accord *a, struct note note, const struct accord_value *value)
{
    for (int i = 0; i < a->size; i++)
        tell(a, i, note, value);
}

/* Whether a process that has left the rounds may wait for this one, which has not. */
static bool is_awaited(const struct accord *a)
{
    bool is = a->was_asked;

    for (int i = 0; i < a->size && !is; i++)
        is = a->has_joined[i];
    return is && a->group;
}

static void accord_decide(struct accord *a, const struct accord_value *value)
{
    if (value != a->stored)
        accord_set(a->stored, value, a->size);
    if (is_awaited(a))
        accord_tell_all(a, (struct note){.kind = NOTE_DECIDED}, a->stored);
    a->state = DECIDED;
    free_work(a);
}

/* The rounds. */

static int count_steps(int size)
{
    int steps = 0;

    while (1 << steps < size)
        steps++;
    return steps;
}

static int host_size(const struct accord_hosts *hosts, int host)
{
    return hosts->first[host + 1] - hosts->first[host];
}

/* What a process does in a step: ranks; -1: none. */
struct accord_move {
    int to, from;
};

/* Between who is at a place of a host that is a multiple of 2 * distance, and who is at that distance behind. */
static struct accord_move near_move(const struct accord_hosts *hosts, int host, int place, int distance,
                                    bool is_up)
{
    const int *order = hosts->order + hosts->first[host];
    int parent = -1, child = -1;

    if (place % (2 * distance) == distance)
        parent = order[place - distance];
    else if (place % (2 * distance) == 0 && place + distance < host_size(hosts, host))
        child = order[place + distance];
    return is_up ? (struct accord_move){parent, child} : (struct accord_move){child, parent};
}

static struct accord_move far_move(const struct accord_hosts *hosts, int host, int distance)
{
    return (struct accord_move){hosts->order[hosts->first[(host + distance) % hosts->count]],
                                hosts->order[hosts->first[(host - distance + hosts->count) % hosts->count]]};
}

static int end_of_steps(const struct accord *a)
{
    return 2 * count_steps(a->group->hosts->most) + count_steps(a->group->hosts->count);
}

static struct accord_move find_move(const struct accord *a)
{
    const struct accord_hosts *hosts = a->group->hosts;
    int host = hosts->host[a->group->rank], place = hosts->place[a->group->rank];
    int near = count_steps(hosts->most), far = a->step - near, down = end_of_steps(a) - a->step;

    if (far < 0)
        return near_move(hosts, host, place, 1 << a->step, true);
    if (down <= near)
        return near_move(hosts, host, place, 1 << (down - 1), false);
    return place ? (struct accord_move){-1, -1} : far_move(hosts, host, 1 << far);
}

static void begin_step(const struct accord *a)
{
    struct note note = {.kind = (uint16_t)(NOTE_FIRST_ROUND + a->round), .step = (uint16_t)a->step};
    int to = a->step < end_of_steps(a) ? find_move(a).to : -1;

    if (to >= 0)
        tell(a, to, note, a->round ? NULL : a->mine);
}

static void accord_begin_round(struct accord *a, int round)
{
    a->round = round;
    a->step = 0;
    begin_step(a);
}

static void finish_round(struct accord *a)
{
    if (a->round == 1) {
        accord_decide(a, a->stored);
        return;
    }
    accord_set(a->stored, a->mine, a->size);
    a->ballot = BALLOT_OF_ROUNDS;
    accord_begin_round(a, 1);
}

/* False: a message is to come yet. */
static bool accord_finish_step(struct accord *a)
{
    bool waits = find_move(a).from >= 0;

    if (waits && !(a->came[a->round] >> a->step & 1))
        return false;
    if (waits && a->round == 0)
        combine(a->mine, a->from_step[a->step], a->size);
    a->step++;
    begin_step(a);
    return true;
}

static void advance_rounds(struct accord *a)
{
    int end = end_of_steps(a);
    bool goes_on = true;

    while (a->state == IN_ROUNDS && goes_on)
        if (a->step == end)
            finish_round(a);
        else
            goes_on = accord_finish_step(a);
}

static void accord_take_step(struct accord *a, const struct note *note, const struct accord_value *value)
{
    int round = note->kind - NOTE_FIRST_ROUND;

    if (note->step >= STEPS || a->state == DECIDED || (round == 0 && !value))
        return;
    if (round == 0 && !a->from_step[note->step]) {
        a->from_step[note->step] = need_value(a->size);
        accord_set(a->from_step[note->step], value, a->size);
    }
    a->came[round] |= (uint64_t)1 << note->step;
}

/* With a coordinator. */

static int find_coordinator(const struct accord *a)
{
    int rank = 0;

    while (is_lost(a, rank))
        rank++;
    return rank;
}

static void note_joined(struct accord *a, int rank, int ballot, const struct accord_value *value)
{
    a->has_joined[rank] = true;
    if (ballot == NOTHING_STORED) {
        combine(a->together, value, a->size);
    } else if (ballot > a->found_ballot) {
        a->found_ballot = ballot;
        accord_set(a->found, value, a->size);
    }
}

static bool have_all(const struct accord *a, const unsigned char *has)
{
    for (int i = 0; i < a->size; i++)
        if (!has[i] && !is_lost(a, i))
            return false;
    return true;
}

static void accord_propose(struct accord *a)
{
    int ballot = a->group->rank + 1;

    if (a->found_ballot != NOTHING_STORED)
        accord_set(a->together, a->found, a->size);
    for (int i = 0; a->found_ballot == NOTHING_STORED && i < a->size; i++)
        if (!a->has_joined[i])
            a->together->sets[i / 64] |= (uint64_t)1 << i % 64;
    accord_set(a->stored, a->together, a->size);
    a->ballot = ballot;
    a->has_proposed = true;
    a->has_stored[a->group->rank] = true;
    accord_tell_all(a, (struct note){.kind = NOTE_PROPOSE, .ballot = ballot}, a->stored);
}

static void coordinate(struct accord *a)
{
    int me = a->group->rank;

    if (!a->has_asked) {
        a->has_asked = true;
        a->listens = me + 1;
        note_joined(a, me, a->ballot, a->ballot == NOTHING_STORED ? a->mine : a->stored);
        accord_tell_all(a, (struct note){.kind = NOTE_ASK}, NULL);
    }
    if (!a->has_proposed && have_all(a, a->has_joined))
        accord_propose(a);
    if (a->has_proposed && have_all(a, a->has_stored))
        accord_decide(a, a->stored);
}

static void join(struct accord *a, int coordinator)
{
    if (a->joined == coordinator)
        return;
    a->joined = coordinator;
    a->listens = coordinator + 1;
    tell(a, coordinator, (struct note){.kind = NOTE_JOIN, .ballot = a->ballot},
         a->ballot == NOTHING_STORED ? a->mine : a->stored);
}

static void advance_coordinated(struct accord *a)
{
    int coordinator = find_coordinator(a);

    if (coordinator == a->group->rank)
        coordinate(a);
    else
        join(a, coordinator);
}

static void accord_store(struct accord *a, int ballot, const struct accord_value *value, struct peer *from)
{
    if (a->state != COORDINATED || ballot < a->listens)
        return;
    a->listens = a->ballot = ballot;
    accord_set(a->stored, value, a->size);
    send_note(from, a->group->rank, a, (struct note){.kind = NOTE_STORED, .ballot = ballot}, NULL);
}

static void accord_answer(const struct accord *a, struct peer *from)
{
    send_note(from, 0, a, (struct note){.kind = NOTE_DECIDED}, a->stored);
}

static void accord_take(struct accord *a, const struct note *note, const struct accord_value *value, int rank,
                        struct peer *from)
{
    if (a->state == DECIDED && (note->kind == NOTE_ASK || note->kind == NOTE_JOIN))
        accord_answer(a, from);
    else if (a->state == DECIDED)
        return;
    else if (note->kind <= NOTE_SECOND_ROUND)
        accord_take_step(a, note, value);
    else if (note->kind == NOTE_ASK)
        a->was_asked = true;
    else if (note->kind == NOTE_STORED && a->has_proposed)
        a->has_stored[rank] = true;
    else if (note->kind == NOTE_JOIN && value && !a->has_joined[rank])
        note_joined(a, rank, note->ballot, value);
    else if (note->kind == NOTE_PROPOSE && value)
        accord_store(a, note->ballot, value, from);
    else if (note->kind == NOTE_DECIDED && value)
        accord_decide(a, value);
}

/* Whether all have left it. */
static bool accord_is_over(uint64_t context, int number)
{
    for (struct link *l = accords.next; l != &accords; l = l->next) {
        const struct accord *a = LIST_ENTRY(l, struct accord, link);

        if (a->context == context && a->number - 2 >= number && a->state != NOT_BEGUN)
            return true;
    }
    return false;
}

void accord_on_message(const struct message *m, const void *payload, struct peer *from)
{
    struct note note = {0};
    uint64_t aligned[m->length / sizeof(uint64_t) + 1];
    const struct accord_value *value = NULL;
    struct accord *a;

    memcpy(aligned, payload, m->length);
    if (m->length >= sizeof note)
        memcpy(&note, aligned, sizeof note);
    if (note.size <= 0 || note.size > LARGEST_GROUP || note.kind == 0 || note.kind >= NOTE_KINDS ||
        m->source < 0 || m->source >= note.size || accord_is_over(m->context, m->tag))
        return;
    if (m->length == sizeof note + accord_value_bytes(note.size))
        value = (const void *)((const char *)aligned + sizeof note);
    a = accord_find(m->context, m->tag);
    if (!a)
        a = accord_new(m->context, m->tag, note.size);
    if (a->size == note.size)
        accord_take(a, &note, value, m->source, from);
}

static void accord_forget(uint64_t context, int number)
{
    struct link *next;

    for (struct link *l = accords.next; l != &accords; l = next) {
        struct accord *a = LIST_ENTRY(l, struct accord, link);

        next = l->next;
        if (a->context == context && a->number <= number)
            accord_free(a);
    }
}

struct placed {
    uint64_t key;
    int rank;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;

    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return left->rank - right->rank;
}

static void fill_hosts(struct accord_hosts *hosts, struct placed *placed, int size)
{
    qsort(placed, (size_t)size, sizeof *placed, compare_placed);
    hosts->host = hosts->order + size;
    hosts->place = hosts->host + size;
    hosts->first = hosts->place + size;
    for (int i = 0; i < size; i++) {
        if (i == 0 || placed[i].key != placed[i - 1].key)
            hosts->first[hosts->count++] = i;
        hosts->order[i] = placed[i].rank;
        hosts->host[placed[i].rank] = hosts->count - 1;
        hosts->place[placed[i].rank] = i - hosts->first[hosts->count - 1];
    }
    hosts->first[hosts->count] = size;
    for (int h = 0; h < hosts->count; h++)
        if (host_size(hosts, h) > hosts->most)
            hosts->most = host_size(hosts, h);
}

struct accord_hosts *accord_hosts_new(int size, const uint64_t *key)
{
    struct placed *placed = malloc((size_t)size * sizeof *placed);
    struct accord_hosts *hosts = calloc(1, sizeof *hosts + (4 * (size_t)size + 1) * sizeof hosts->order[0]);

    for (int i = 0; placed && hosts && i < size; i++)
        placed[i] = (struct placed){key[i], i};
    if (placed && hosts)
        fill_hosts(hosts, placed, size);
    free(placed);
    if (hosts && hosts->count)
        return hosts;
    free(hosts);
    return NULL;
}

struct accord *accord_begin(const struct accord_group *group, int number, const struct accord_value *mine)
{
    struct accord *a;

    if (group->size > LARGEST_GROUP) {
        fail(MPI_ERR_UNSUPPORTED_OPERATION, "more than %d processes of several hosts cannot agree yet",
             LARGEST_GROUP);
        return NULL;
    }
    accord_forget(group->context, number - 2);
    a = accord_find(group->context, number);
    if (!a)
        a = accord_new(group->context, number, group->size);
    if (a->state == DECIDED) /* without this process, which others took for dead */
        return a;
    a->group = group;
    a->mine = need_value(group->size);
    accord_set(a->mine, mine, group->size);
    a->state = a->was_asked || has_lost_member(a) ? COORDINATED : IN_ROUNDS;
    if (a->state == IN_ROUNDS)
        accord_begin_round(a, 0);
    return a;
}

const struct accord_value *accord_poll(struct accord *a)
{
    if (a->state == IN_ROUNDS)
        advance_rounds(a);
    if (a->state == IN_ROUNDS && (a->was_asked || has_lost_member(a)))
        a->state = COORDINATED;
    if (a->state == COORDINATED)
        advance_coordinated(a);
    return a->state == DECIDED ? a->stored : NULL;
}
