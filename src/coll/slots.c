#include "coll/slots.h"

#include "base/clock.h"
#include "base/copy.h"
#include "base/fail.h"
#include "boot/boot.h"
#include "coll/station.h"
#include "hint/hint.h"
#include "progress/progress.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum {
    USES_BEFORE = 4,  /* blocking calls that could have used stations before they are made */
    QUICK_LOOKS = 64, /* before other progress is made, where each rank has a core */
    YIELDS = 24,      /* where they do not: how often a wait yields before it naps */
    NAP_MOST_NS = 5 * 1000 * 1000,
    ROOT_BITS = 8
};

enum channel {
    CHANNEL_BLOCKING,
    CHANNEL_PERSISTENT,
    CHANNELS
};

/* Of one communicator. */
struct comm_slots {
    size_t most[COLL_COUNT]; /* bytes that a collective may have, + 1; 0: it never takes slots */
    bool is_refused[CHANNELS];
    int uses;
    struct slots *channel[CHANNELS];
};

static void free_slots(struct comm_slots *slots)
{
    for (int i = 0; i < CHANNELS; i++)
        if (slots->channel[i])
            slots_free(slots->channel[i]);
    free(slots);
}

static bool is_possible(const struct comm *comm)
{
    return comm->size > 1 && comm->size <= STATION_RANKS && boot.all_local && !comm->group->has_guests &&
           !comm_is_inter(comm);
}

/* What there is for this communicator; made on first use. NULL: nothing, or no memory. */
static struct comm_slots *slots_of(struct comm *comm)
{
    struct comm_slots *slots = is_possible(comm) ? calloc(1, sizeof *slots) : NULL;

    if (!slots)
        return NULL;
    for (int c = 0; c < COLL_COUNT; c++)
        slots->most[c] = choice_slots((enum collective)c, comm->size, ROOM_MOST);
    comm->slots = slots;
    comm->slots_free = free_slots;
    return slots;
}

static struct slots *make(struct comm *comm, struct comm_slots *slots, enum channel which)
{
    if (slots->is_refused[which] || (which == CHANNEL_BLOCKING && ++slots->uses <= USES_BEFORE))
        return NULL;
    slots->is_refused[which] = true; /* also while it is being made, by collectives */
    slots->channel[which] = slots_new(comm);
    return slots->channel[which];
}

struct slots *slots_for(struct comm *comm, enum form form, enum collective collective, size_t bytes)
{
    struct comm_slots *slots = comm->slots ? comm->slots : slots_of(comm);
    enum channel which = form == FORM_BLOCKING ? CHANNEL_BLOCKING : CHANNEL_PERSISTENT;

    if (!slots || bytes >= slots->most[collective] || form == FORM_NONBLOCKING)
        return NULL;
    if (form == FORM_PERSISTENT && !hint_value(&comm->hints, HINT_STRICT_PERSISTENT_ORDERING))
        return NULL;
    return slots->channel[which] ? slots->channel[which] : make(comm, slots, which);
}

struct slots *slots_for_reduction(struct comm *comm, enum form form, enum collective collective,
                                  MPI_Count count, const struct datatype *type)
{
    if (type->representation == REP_NONE || !type->dense || count > ROOM_MOST)
        return NULL;
    return slots_for(comm, form, collective, (size_t)count * (size_t)type->size);
}

static bool is_rooted(const struct slot_call *call)
{
    return call->what == COLL_BCAST || call->what == COLL_REDUCE;
}

/* Whether this rank needs to see what `rank` puts in. */
static bool looks_at(const struct slot_call *call, int rank)
{
    if (call->what == COLL_BCAST)
        return rank == call->root && rank != call->slots->rank;
    return call->what != COLL_REDUCE || call->root == call->slots->rank;
}

static bool puts_in(const struct slot_call *call)
{
    return call->what != COLL_BCAST || call->root == call->slots->rank;
}

static uint16_t word_of(const struct slot_call *call)
{
    return (uint16_t)(call->what << ROOT_BITS | (is_rooted(call) ? call->root : 0));
}

static void note(struct slot_call *call, int error)
{
    if (error && !call->error)
        call->error = error;
}

static int64_t kinds_of(const struct slot_call *call)
{
    return hint_buffer_kinds(&call->slots->comm->hints);
}

/* Packs what this rank puts in. */
static void copy_in(struct slot_call *call, unsigned char *to, size_t bytes)
{
    const struct block *in = &call->in;

    if (in->type->dense && !datatype_device(in->type, in->at, kinds_of(call)))
        copy_bytes(to, in->at, bytes);
    else
        note(call, datatype_copy_kinds(in->at, in->count, in->type, to, (MPI_Count)bytes,
                                       datatype_predefined(MPI_BYTE), kinds_of(call)));
}

/* Copies bytes that the host holds to their place, which a device may hold. */
static void copy_out(struct slot_call *call, const void *from, struct block to)
{
    size_t bytes = block_bytes(to);

    if (to.type->dense && !datatype_device(to.type, to.at, kinds_of(call)))
        copy_bytes(to.at, from, bytes);
    else if (to.count)
        note(call, datatype_copy_kinds(from, (MPI_Count)bytes, datatype_predefined(MPI_BYTE), to.at, to.count,
                                       to.type, kinds_of(call)));
}

/* False: there is no place for it yet. */
static bool publish(struct slot_call *call)
{
    struct slots *s = call->slots;
    struct line *line = slots_line(s, s->rank, call->number);
    size_t bytes = block_bytes(call->in);
    unsigned char *place = slots_take(s, line, call->number, bytes <= ROOM_MOST ? bytes : 0);

    if (!place)
        return false;
    line->what = word_of(call);
    if (bytes > ROOM_MOST)
        note(call, fail(MPI_ERR_COUNT, "%zu bytes are sent, where %zu are received", bytes, call->due));
    else if (bytes)
        copy_in(call, place, bytes);
    slots_publish(s, line, call->number);
    call->is_published = true;
    return true;
}

static const unsigned char *data_of(const struct slot_call *call, int rank)
{
    return slots_data(call->slots, rank, call->number);
}

/* Whether what a rank has put in fits to this call. */
static bool fits(struct slot_call *call, int rank)
{
    const struct line *line = slots_line(call->slots, rank, call->number);

    if (line->what != word_of(call))
        note(call, fail(MPI_ERR_OTHER, "rank %d has called another collective, or with another root", rank));
    else if (line->bytes != call->due)
        note(call, fail(MPI_ERR_TRUNCATE,
                        "rank %d has %u bytes for this collective, where %zu are due: the counts or types of "
                        "the ranks do not fit together",
                        rank, (unsigned)line->bytes, call->due));
    return !call->error;
}

static bool all_fit(struct slot_call *call)
{
    for (int r = 0; r < call->slots->size; r++)
        if (looks_at(call, r) && !fits(call, r))
            return false;
    return true;
}

/* What a rank has put in. This one's own is taken from where it still lies, if that can be. */
static const unsigned char *vector_of(const struct slot_call *call, int rank)
{
    if (rank != call->slots->rank || datatype_device(call->in.type, call->in.at, kinds_of(call)))
        return data_of(call, rank);
    return call->in.at;
}

/* Combines what all ranks have put in for `out`, in rank order, the last ranks first. */
static void combine(struct slot_call *call)
{
    _Alignas(16) unsigned char apart[ROOM_MOST];
    int last = call->slots->size - 1;
    struct block out = call->out;
    size_t offset = (size_t)call->first * (size_t)out.type->size;
    bool is_apart = out.at == call->in.at || datatype_device(out.type, out.at, kinds_of(call));
    void *sum = is_apart ? apart : out.at;

    if (!out.count)
        return;
    copy_bytes(sum, vector_of(call, last) + offset, block_bytes(out));
    for (int r = last - 1; r >= 0; r--)
        op_apply(call->op, vector_of(call, r) + offset, sum, out.count, out.type);
    if (is_apart)
        copy_out(call, sum, out);
}

static void take_blocks(struct slot_call *call)
{
    int size = call->slots->size;
    MPI_Count each = call->out.count / size;
    size_t mine = call->what == COLL_ALLTOALL ? call->due / (size_t)size * (size_t)call->slots->rank : 0;

    for (int r = 0; r < size; r++)
        copy_out(call, data_of(call, r) + mine, block_slice(call->out, r * each, each));
}

/* All data that this rank needs is there. */
static void conclude(struct slot_call *call)
{
    if (!all_fit(call))
        return;
    switch (call->what) {
    case COLL_BCAST:
        if (call->root != call->slots->rank)
            copy_out(call, data_of(call, call->root), call->out);
        break;
    case COLL_REDUCE:
        if (call->root == call->slots->rank)
            combine(call);
        break;
    case COLL_ALLREDUCE:
    case COLL_REDUCE_SCATTER:
        combine(call);
        break;
    case COLL_ALLGATHER:
    case COLL_ALLTOALL:
    case COLL_ASK:
        take_blocks(call);
        break;
    default:
        break;
    }
}

void slots_begin(struct slot_call *call)
{
    call->number = ++call->slots->number;
    call->is_published = !puts_in(call);
    call->next = 0;
    call->error = 0;
}

/* Whether all that this rank needs to see is published. */
static bool is_ready(struct slot_call *call)
{
    struct slots *s = call->slots;

    for (; call->next < s->size; call->next++)
        if (call->next != s->rank && looks_at(call, call->next) && !slots_look(s, call->next, call->number))
            return false;
    /* operations end in order: `done` counts them */
    return s->seat[s->rank].done == call->number - 1;
}

bool slots_try(struct slot_call *call)
{
    if ((!call->is_published && !publish(call)) || !is_ready(call))
        return false;
    conclude(call);
    slots_end(call->slots, call->number);
    return true;
}

/* How a wait has gone so far. */
struct patience {
    int looks;
    uint64_t since; /* clock when it began to look at it; 0: not yet */
};

static void nap(uint64_t waited)
{
    struct timespec t = {0, (long)(waited / 8 < NAP_MOST_NS ? waited / 8 : NAP_MOST_NS)};

    nanosleep(&t, NULL);
}

/* Until a rank that publishes, or is through, wakes this one. */
static void sleep_until_told(struct slot_call *call, uint64_t waited)
{
    const struct sleeper *sleeper = progress_sleeper();
    uint32_t seen;

    if (!sleeper) {
        nap(waited);
        return;
    }
    seen = sleeper->prepare();
    if (progress_poll() || (call->is_published ? is_ready(call) : publish(call)))
        sleeper->cancel();
    else
        sleeper->sleep(seen);
}

/* Spins or yields for a short time; then sleeps, or naps where wake-ups cost the others their cores. */
static void be_patient(struct patience *p, struct slot_call *call)
{
    bool is_crowded = progress_is_crowded();
    uint64_t now;

    p->looks++;
    if (p->looks >= QUICK_LOOKS || is_crowded)
        progress_poll();
    if (is_crowded && p->looks < YIELDS) {
        sched_yield();
        return;
    }
    if (!is_crowded && p->looks % QUICK_LOOKS) {
        progress_relax();
        return;
    }
    now = clock_ns();
    if (!p->since)
        p->since = now;
    if (is_crowded)
        nap(now - p->since);
    else if (now - p->since > (uint64_t)hint_process.value[HINT_SPIN_TIME])
        sleep_until_told(call, now - p->since);
}

int slots_run(struct slots *slots, struct slot_call call)
{
    struct patience p = {0, 0};

    call.slots = slots;
    slots_begin(&call);
    while (!slots_try(&call))
        be_patient(&p, &call);
    return call.error;
}

int slots_do(struct comm *comm, struct slots *slots, struct slot_call call, enum form form,
             struct request **request)
{
    struct schedule *s;
    int error;

    if (form == FORM_BLOCKING)
        return slots_run(slots, call);
    call.slots = slots;
    error = schedule_open(comm, form, call.op, &s);
    if (error)
        return error;
    step_slots(s, &call);
    return schedule_close(s, request);
}
