#include "coll/shm/shm_coll.h"

#include "coll/choice.h"
#include "coll/shm/irregular.h"
#include "coll/shm/persistent_slot.h"
#include "coll/shm/single_copy.h"
#include "hint/hint.h"
#include "plain/log.h"
#include "progress/progress.h"

#include <stdlib.h>
#include <string.h>

enum {
    USES_BEFORE = 4, /* calls that could have used mailboxes before these are made */
    VOTE_LINES = 16
};

/* Mailboxes of one shape, of a communicator, by form. */
struct size_class {
    int uses;
    bool is_made, is_made_strict; /* or was tried */
    struct mailboxes *form[FORM_PERSISTENT + 1];
};

enum shape {
    SHAPE_SMALL,
    SHAPE_INTER, /* for broadcasts between groups, of which not all ranks know how long they are */
    SHAPE_LARGE,
    SHAPE_COUNT
};
static const struct mailbox_shape shapes[SHAPE_COUNT] = {
    [SHAPE_SMALL] = {MAILBOX_LINES, SMALL_SEGMENTS, SMALL_SEGMENT},
    [SHAPE_INTER] = {MAILBOX_LINES, INTER_SEGMENTS, INTER_SEGMENT},
    [SHAPE_LARGE] = {MAILBOX_LINES, LARGE_SEGMENTS, LARGE_SEGMENT},
};

struct shm_coll {
    size_t below[COLL_COUNT]; /* the table chooses mailboxes for fewer bytes; 0: never, or not known yet */
    uint16_t knows;           /* for which collectives it is known: bits */
    struct size_class size_class[SHAPE_COUNT];
    struct slot_pool pool;
    bool has_votes;          /* or it was tried */
    struct mailboxes *votes; /* a line for each persistent collective that is made; NULL: there is no room */
    uint16_t numbered;       /* persistent calls that share mailboxes: the same on all ranks */
};

static void free_shm_coll(struct shm_coll *shm)
{
    for (int shape = 0; shape < SHAPE_COUNT; shape++)
        for (int form = 0; form <= FORM_PERSISTENT; form++)
            mailbox_free(shm->size_class[shape].form[form]);
    mailbox_free(shm->votes);
    persistent_slot_free_all(&shm->pool);
    free(shm);
}

/* The communicator is revoked: its collectives go by messages, which fail. */
static void retire_shm_coll(struct shm_coll *shm)
{
    memset(shm->below, 0, sizeof shm->below);
    shm->knows = UINT16_MAX;
}

const char *shm_coll_absence(const struct comm *comm)
{
    if (comm_is_inter(comm))
        return "intercommunicator";
    if (comm->size == 1)
        return "one rank";
    if (comm->size > MAILBOX_RANKS)
        return "more than 64 ranks";
    return net_shares_host(comm->process, comm->size) ? NULL : "several hosts";
}

/* Bytes, all together, that large mailboxes hold; a broadcast goes in portions. */
static size_t shm_coll_most(enum collective collective, int size)
{
    if (collective == COLL_BCAST)
        return SIZE_MAX - 1;
    return collective == COLL_ALLGATHER ? LARGE_MOST * (size_t)size : LARGE_MOST;
}

void shm_coll_adapt(struct comm *comm)
{
    if (!comm->shm_coll)
        return;
    memset(comm->shm_coll->below, 0, sizeof comm->shm_coll->below);
    comm->shm_coll->knows = 0;
}

/* What there is for this communicator; made on first use. NULL: nothing. Without memory for it the job ends:
 * a rank that does not count along would choose otherwise than the others. */
static struct shm_coll *shm_coll_of(struct comm *comm)
{
    if (!comm->shm_coll && !comm->lacks_shm_coll) {
        comm->lacks_shm_coll = shm_coll_absence(comm);
        if (comm->lacks_shm_coll)
            return NULL;
        comm->shm_coll = calloc(1, sizeof *comm->shm_coll);
        if (!comm->shm_coll)
            log_die("no memory to keep account of a communicator's collectives");
        comm->shm_coll_free = free_shm_coll;
        comm->shm_coll_retire = retire_shm_coll;
    }
    return comm->shm_coll;
}

static struct mailboxes *shm_coll_votes(struct comm *comm)
{
    struct shm_coll *shm = shm_coll_of(comm);

    if (shm && !shm->has_votes) {
        shm->has_votes = true;
        shm->votes = mailbox_new(comm, (struct mailbox_shape){.lines = VOTE_LINES}, NULL, 0);
    }
    return shm ? shm->votes : NULL;
}

/* The vote of a rank that has made as many persistent collectives as this one; waits until it has. */
static uint64_t await_vote(struct mailboxes *s, int rank, uint64_t usual)
{
    struct wait w = WAIT_START;

    while (!mailbox_poll(s, rank, s->sequence)) {
        if ((mailbox_has_lost(s, rank) || mailbox_is_hit(s)) && !mailbox_poll(s, rank, s->sequence))
            break;
        progress_wait_word(&w, WORD_NAPS);
    }
    progress_wait_again(&w);
    if (!mailbox_poll(s, rank, s->sequence))
        return usual; /* the first start says that it has ended */
    if (mailbox_line(s, rank, s->sequence)->head.bytes)
        memcpy(&usual, mailbox_data(s, rank, s->sequence), sizeof usual);
    return usual;
}

bool shm_coll_vote(struct comm *comm, const uint64_t *vote, uint64_t usual, uint64_t *differs)
{
    struct mailboxes *s = shm_coll_votes(comm);
    struct wait w = WAIT_START;
    size_t bytes = vote ? sizeof *vote : 0;
    unsigned char *line;

    if (!s)
        return false;
    s->sequence++;
    while (!(line = mailbox_reserve(s, s->sequence, bytes, s->sequence, true)) && !mailbox_is_hit(s))
        progress_wait_word(&w, WORD_NAPS);
    progress_wait_again(&w);
    if (!line)
        return true; /* the first start says why */
    if (vote)
        memcpy(line, vote, bytes);
    mailbox_publish(s, s->sequence, line, bytes, 0);
    for (int r = 0; vote && r < s->size; r++)
        *differs |= *vote ^ await_vote(s, r, usual);
    mailbox_end(s, s->sequence);
    return true;
}

/* Reductions whose vectors mailboxes can carry. */
static bool can_reduce(const struct coll_call *call)
{
    const struct datatype *type = call->in.type;

    return type->representation != REP_NONE && type->dense && call->in.count <= LARGE_MOST;
}

void shm_coll_learn(struct comm *comm, const struct choice_list *list)
{
    size_t most, below;

    if (!comm->shm_coll || comm->shm_coll->knows >> list->collective & 1)
        return;
    most = shm_coll_most(list->collective, comm->size);
    below = choice_mailbox_below(&comm->hints, list, choice_place_of(comm, &comm->hints), TRAIT_SHM);
    comm->shm_coll->below[list->collective] = below < most + 1 ? below : most + 1;
    comm->shm_coll->knows |= (uint16_t)(1 << list->collective);
}

bool shm_coll_is_chosen(const struct comm *comm, const struct coll_call *call, size_t bytes)
{
    return comm->shm_coll && bytes < comm->shm_coll->below[call->list->collective] &&
           (!call->op || (can_reduce(call) && !hint_value_here(&comm->hints, HINT_REPRODUCIBLE_REDUCTIONS)));
}

unsigned shm_coll_traits(struct comm *comm, const struct coll_call *call, const struct hints *hints,
                         size_t bytes)
{
    const struct datatype *type = call->in.type;
    unsigned traits = TRAIT_SHM;

    if (comm->revoked || !shm_coll_of(comm))
        return 0;
    if (bytes > shm_coll_most(call->list->collective, comm->size))
        traits = TRAIT_SINGLE_COPY;
    if (call->is_irregular)
        traits &= ~(unsigned)TRAIT_SINGLE_COPY;
    if (!call->op)
        return traits;
    if (hint_value_here(hints, HINT_REPRODUCIBLE_REDUCTIONS))
        return 0; /* messages may cross hosts, and are combined in the same order on one */
    if (!type->dense || type->size > LARGEST_ITEM)
        traits &= ~(unsigned)TRAIT_SINGLE_COPY;
    if (!can_reduce(call))
        traits &= ~(unsigned)TRAIT_MAILBOX;
    return traits;
}

/* Those of nonblocking calls, which must not wait, are made with those of blocking ones. */
__attribute__((noinline)) static struct mailboxes *make_mailboxes(struct comm *comm, enum shape shape,
                                                                  enum form form)
{
    struct size_class *size_class = &comm->shm_coll->size_class[shape];

    if (form == FORM_PERSISTENT && !size_class->is_made_strict) {
        size_class->is_made_strict = true;
        size_class->form[FORM_PERSISTENT] = mailbox_new(comm, shapes[shape], NULL, 0);
    }
    if (form != FORM_PERSISTENT && !size_class->is_made && ++size_class->uses > USES_BEFORE &&
        form == FORM_BLOCKING) {
        size_class->is_made = true;
        size_class->form[FORM_BLOCKING] = mailbox_new(comm, shapes[shape], NULL, 0);
        size_class->form[FORM_NONBLOCKING] = mailbox_new(comm, shapes[shape], NULL, 0);
    }
    return size_class->form[form];
}

static bool is_single_copy(const struct choice_algorithm *algorithm)
{
    return algorithm->needs & TRAIT_SINGLE_COPY;
}

/* A single copy publishes descriptors and waits, as a barrier does. Not all ranks know the bytes of an irregular one. */
static enum shape shape_for(const struct coll_call *call, const struct choice_algorithm *algorithm,
                            size_t bytes)
{
    if (irregular_is(call))
        return call->list->collective == COLL_BCAST ? SHAPE_INTER : SHAPE_SMALL;
    return bytes > SMALL_MOST && !is_single_copy(algorithm) ? SHAPE_LARGE : SHAPE_SMALL;
}

static struct mailboxes *find_mailboxes(struct comm *comm, enum shape shape, enum form form)
{
    struct mailboxes *boxes = comm->shm_coll->size_class[shape].form[form];

    return boxes ? boxes : make_mailboxes(comm, shape, form);
}

/* Nobody knows how large the slot of a persistent gatherv would have to be. */
__attribute__((noinline)) static struct mailboxes *find_persistent(struct comm *comm,
                                                                   const struct coll_call *call,
                                                                   const struct choice_algorithm *algorithm,
                                                                   size_t bytes, uint32_t *tag)
{
    struct mailboxes *boxes;

    if (irregular_is(call))
        return NULL;
    if (!hint_value(&comm->hints, HINT_STRICT_PERSISTENT_ORDERING))
        return is_single_copy(algorithm)
                   ? persistent_slot_new(comm, &comm->shm_coll->pool, COLL_BARRIER, DESCRIPTOR_BYTES)
                   : persistent_slot_new(comm, &comm->shm_coll->pool, call->list->collective, bytes);
    boxes = find_mailboxes(comm, shape_for(call, algorithm, bytes), FORM_PERSISTENT);
    if (boxes)
        *tag = (uint32_t)++comm->shm_coll->numbered << TAG_NUMBER_SHIFT;
    return boxes;
}

struct mailboxes *shm_coll_open(struct comm *comm, const struct coll_call *call,
                                const struct choice_algorithm *algorithm, enum form form, size_t bytes,
                                uint32_t *tag)
{
    struct mailboxes *boxes = form == FORM_PERSISTENT
                                  ? find_persistent(comm, call, algorithm, bytes, tag)
                                  : find_mailboxes(comm, shape_for(call, algorithm, bytes), form);

    if (boxes && is_single_copy(algorithm) && !boxes->can_get && !boxes->all_mapped &&
        boxes != &persistent_slot_none) {
        if (boxes->slab)
            persistent_slot_free(boxes);
        boxes = NULL;
    }
    return boxes;
}

/* Ranks move so much in a single copy that a nap would outlast the others' part by far. Nobody is woken by `done`. */
static enum word_wait how_to_wait(const struct shm_run *run)
{
    if (engine_waits_for_done(run))
        return WORD_NAPS;
    return is_single_copy(run->algorithm) ? WORD_SLEEPS : WORD_SLEEPS_ALONE;
}

static int shm_coll_wait(struct comm *comm, struct shm_run *run)
{
    struct wait w = WAIT_START;
    struct irregular irregular;
    uint64_t sequence = 0;

    if (run->is_irregular)
        irregular_begin(run, &irregular, comm);
    engine_begin(run);
    while (!engine_advance(run)) {
        if (sequence != run->sequence)
            progress_wait_again(&w);
        sequence = run->sequence;
        progress_wait_word_for(&w, how_to_wait(run), WAIT_SHM_RUN, run, 0);
    }
    progress_wait_again(&w);
    return run->is_irregular ? irregular_finish(run) : run->error;
}

int shm_coll_do(struct comm *comm, struct shm_run *run, enum form form, struct request **request)
{
    run->is_irregular = irregular_is(run->call);
    run->root = (uint8_t)run->call->root;
    if (form == FORM_BLOCKING)
        return shm_coll_wait(comm, run);
    return form == FORM_NONBLOCKING ? shm_request_start(comm, run, request)
                                    : shm_request_init(comm, run, request);
}
