#include "coll/slots.h"

#include "base/clock.h"
#include "base/fail.h"
#include "boot/boot.h"
#include "coll/coll.h"
#include "hint/hint.h"
#include "memory/memory.h"
#include "net/net.h"
#include "progress/progress.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SLOT_DEPTH = 8,
    SLOT_BYTES = 2048 - 16,
    SLOT_LINE = 64,
    SLOT_RANKS = 16,  /* more would look at too many slots */
    USES_BEFORE = 4,  /* blocking calls that could have used stations before they are made */
    QUICK_LOOKS = 64, /* before other progress is made, where each rank has a core */
    YIELDS = 24,      /* where they do not: how often a wait yields before it naps */
    NAP_MOST_NS = 5 * 1000 * 1000,
    LAST_LOOKS_NS = 1000 * 1000 /* how long freeing waits for the others' last look */
};

struct slot {
    _Alignas(SLOT_LINE) _Atomic uint64_t number;
    uint32_t what; /* collective and root */
    uint32_t bytes;
    unsigned char data[SLOT_BYTES];
};

struct station {
    _Alignas(SLOT_LINE) _Atomic uint64_t done; /* operations that its owner is through with */
    struct slot slot[SLOT_DEPTH];
};

struct slots {
    uint64_t number;   /* of the last operation begun */
    uint64_t all_done; /* what every rank has done, as last seen */
    struct comm *comm; /* whose they are */
    int rank, size;
    struct station *mine;
    struct station *of[]; /* by rank, mapped */
};

enum channel {
    CHANNEL_BLOCKING,
    CHANNEL_PERSISTENT,
    CHANNELS
};

/* Of one communicator. */
struct comm_slots {
    bool is_refused[CHANNELS];
    int uses;
    struct slots *channel[CHANNELS];
};

static bool all_have_done(struct slots *s, uint64_t number)
{
    for (int r = 0; r < s->size && s->all_done < number; r++)
        if (atomic_load_explicit(&s->of[r]->done, memory_order_acquire) < number)
            return false;
    if (s->all_done < number)
        s->all_done = number;
    return true;
}

/* The other ranks are in the last operation too and about to be through with it. A station that one of them
 * may still look into stays where it is. */
static void free_channel(struct slots *s)
{
    uint64_t limit = clock_ns() + LAST_LOOKS_NS;

    while (!all_have_done(s, s->number) && clock_ns() < limit)
        sched_yield();
    if (all_have_done(s, s->number))
        memory_free(s->mine);
    free(s);
}

static void free_slots(struct comm_slots *slots)
{
    for (int i = 0; i < CHANNELS; i++)
        if (slots->channel[i])
            free_channel(slots->channel[i]);
    free(slots);
}

static struct station *map_station(int process, uint64_t address)
{
    struct peer *peer = net_peer(process);

    if (!address || !peer || !peer->transport->map)
        return NULL;
    return peer->transport->map(peer, address, sizeof(struct station));
}

/* Maps all stations; true when this rank can use them. */
static bool map_all(struct slots *s, const struct comm *comm, const uint64_t *address)
{
    for (int r = 0; r < s->size; r++) {
        s->of[r] = r == s->rank ? s->mine : map_station(comm->process[r], address[r]);
        if (!s->of[r])
            return false;
    }
    return true;
}

static struct slots *new_channel(struct comm *comm)
{
    struct slots *s = calloc(1, sizeof *s + (size_t)comm->size * sizeof s->of[0]);
    void *memory = NULL;

    if (!s)
        return NULL;
    s->comm = comm;
    s->rank = comm->rank;
    s->size = comm->size;
    if (memory_alloc(sizeof(struct station), SLOT_LINE, &memory) == MPI_SUCCESS) {
        memset(memory, 0, sizeof(struct station));
        s->mine = memory;
    }
    return s;
}

/* Two exchanges: where the stations are, and whether every rank sees them all. */
static struct slots *make_channel(struct comm *comm)
{
    struct slots *s = new_channel(comm);
    uint64_t address[SLOT_RANKS], mine = s ? (uint64_t)(uintptr_t)s->mine : 0, usable = 0;
    int error = coll_allgather_bytes(comm, &mine, address, sizeof mine);

    if (!error && s && s->mine)
        usable = map_all(s, comm, address);
    error = coll_agree(comm, &usable, NULL);
    if (!error && usable)
        return s;
    if (s && s->mine)
        memory_free(s->mine);
    free(s);
    return NULL;
}

static bool is_wanted(struct comm *comm, enum form form, enum collective collective, size_t bytes)
{
    if (form == FORM_NONBLOCKING || bytes > SLOT_BYTES || comm->size < 2 || comm->size > SLOT_RANKS ||
        !boot.all_local || comm->group->has_guests || comm_is_inter(comm))
        return false;
    if (form == FORM_PERSISTENT && !hint_value(&comm->hints, HINT_STRICT_PERSISTENT_ORDERING))
        return false;
    return choice_make(collective, bytes, comm->size,
                       TRAIT_SLOTS | TRAIT_COMMUTATIVE | TRAIT_ITEMS | TRAIT_APART) == ALGORITHM_SLOTS;
}

static struct slots *find_or_make(struct comm *comm, enum channel which)
{
    struct comm_slots *slots = comm->slots;

    if (!slots)
        slots = calloc(1, sizeof *slots);
    if (!slots)
        return NULL;
    comm->slots = slots;
    comm->slots_free = free_slots;
    if (slots->channel[which] || slots->is_refused[which])
        return slots->channel[which];
    if (which == CHANNEL_BLOCKING && ++slots->uses <= USES_BEFORE)
        return NULL;
    slots->is_refused[which] = true; /* also while it is being made, by collectives */
    slots->channel[which] = make_channel(comm);
    return slots->channel[which];
}

struct slots *slots_for(struct comm *comm, enum form form, enum collective collective, size_t bytes)
{
    if (!is_wanted(comm, form, collective, bytes))
        return NULL;
    return find_or_make(comm, form == FORM_BLOCKING ? CHANNEL_BLOCKING : CHANNEL_PERSISTENT);
}

struct slots *slots_for_reduction(struct comm *comm, enum form form, enum collective collective,
                                  MPI_Count count, const struct datatype *type)
{
    if (type->representation == REP_NONE || !type->dense || count > SLOT_BYTES)
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

static uint32_t word_of(const struct slot_call *call)
{
    return (uint32_t)call->what << 16 | (uint32_t)(is_rooted(call) ? call->root : 0);
}

static void note(struct slot_call *call, int error)
{
    if (error && !call->error)
        call->error = error;
}

static void publish(struct slot_call *call)
{
    struct slot *slot = &call->slots->mine->slot[call->number % SLOT_DEPTH];
    size_t bytes = block_bytes(call->in);

    slot->what = word_of(call);
    if (bytes > SLOT_BYTES) {
        note(call, fail(MPI_ERR_COUNT, "%zu bytes are sent, where %zu are received", bytes, call->due));
        bytes = 0;
    }
    slot->bytes = (uint32_t)bytes;
    if (bytes)
        note(call, datatype_copy_kinds(call->in.at, call->in.count, call->in.type, slot->data,
                                       (MPI_Count)bytes, datatype_predefined(MPI_BYTE),
                                       hint_buffer_kinds(&call->slots->comm->hints)));
    /* publishes; pairs with the acquire in has_published */
    atomic_store_explicit(&slot->number, call->number, memory_order_release);
    call->is_published = true;
}

static struct slot *slot_of(const struct slot_call *call, int rank)
{
    return &call->slots->of[rank]->slot[call->number % SLOT_DEPTH];
}

static bool has_published(const struct slot_call *call, int rank)
{
    return atomic_load_explicit(&slot_of(call, rank)->number, memory_order_acquire) == call->number;
}

/* Whether what a rank has put in fits to this call. */
static bool fits(struct slot_call *call, int rank)
{
    const struct slot *slot = slot_of(call, rank);

    if (slot->what != word_of(call))
        note(call, fail(MPI_ERR_OTHER, "rank %d has called another collective, or with another root", rank));
    else if (slot->bytes != call->due)
        note(call, fail(MPI_ERR_TRUNCATE,
                        "rank %d has %u bytes for this collective, where %zu are due: the counts or types of "
                        "the ranks do not fit together",
                        rank, (unsigned)slot->bytes, call->due));
    return !call->error;
}

static bool all_fit(struct slot_call *call)
{
    for (int r = 0; r < call->slots->size; r++)
        if (looks_at(call, r) && !fits(call, r))
            return false;
    return true;
}

static int64_t kinds_of(const struct slot_call *call)
{
    return hint_buffer_kinds(&call->slots->comm->hints);
}

/* Copies bytes that the host holds to their place, which a device may hold. */
static void copy_out(struct slot_call *call, const void *bytes, struct block to)
{
    if (to.count)
        note(call, datatype_copy_kinds(bytes, (MPI_Count)block_bytes(to), datatype_predefined(MPI_BYTE),
                                       to.at, to.count, to.type, kinds_of(call)));
}

/* Combines what all ranks have put in for `out`, in rank order, the last ranks first. */
static void combine(struct slot_call *call)
{
    _Alignas(16) unsigned char apart[SLOT_BYTES];
    int last = call->slots->size - 1;
    struct block out = call->out;
    size_t offset = (size_t)call->first * (size_t)out.type->size;
    bool is_far = out.count && datatype_device(out.type, out.at, kinds_of(call));
    void *sum = is_far ? apart : out.at;

    if (!out.count)
        return;
    memcpy(sum, slot_of(call, last)->data + offset, block_bytes(out));
    for (int r = last - 1; r >= 0; r--)
        op_apply(call->op, slot_of(call, r)->data + offset, sum, out.count, out.type);
    if (is_far)
        copy_out(call, sum, out);
}

static void take_blocks(struct slot_call *call)
{
    int size = call->slots->size;
    MPI_Count each = call->out.count / size;
    size_t mine = call->what == COLL_ALLTOALL ? call->due / (size_t)size * (size_t)call->slots->rank : 0;

    for (int r = 0; r < size; r++)
        copy_out(call, slot_of(call, r)->data + mine, block_slice(call->out, r * each, each));
}

/* All data that this rank needs is there. */
static void conclude(struct slot_call *call)
{
    if (!all_fit(call))
        return;
    switch (call->what) {
    case COLL_BCAST:
        if (call->root != call->slots->rank)
            copy_out(call, slot_of(call, call->root)->data, call->out);
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

bool slots_try(struct slot_call *call)
{
    struct slots *s = call->slots;

    if (!call->is_published) {
        if (call->number > SLOT_DEPTH && !all_have_done(s, call->number - SLOT_DEPTH))
            return false;
        publish(call);
    }
    for (; call->next < s->size; call->next++)
        if (looks_at(call, call->next) && !has_published(call, call->next))
            return false;
    /* operations end in order: `done` counts them */
    if (atomic_load_explicit(&s->mine->done, memory_order_relaxed) != call->number - 1)
        return false;
    conclude(call);
    atomic_store_explicit(&s->mine->done, call->number, memory_order_release); /* pairs with all_have_done */
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

/* Spins or yields for a short time; then naps, so that an idle rank leaves its core alone. */
static void be_patient(struct patience *p)
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
    if (is_crowded || now - p->since > (uint64_t)hint_process.value[HINT_SPIN_TIME])
        nap(now - p->since);
}

static int run(struct slot_call *call)
{
    struct patience p = {0, 0};

    slots_begin(call);
    while (!slots_try(call))
        be_patient(&p);
    return call->error;
}

int slots_do(struct comm *comm, struct slots *slots, struct slot_call call, enum form form,
             struct request **request)
{
    struct schedule *s;
    int error;

    call.slots = slots;
    if (form == FORM_BLOCKING)
        return run(&call);
    error = schedule_open(comm, form, call.op, &s);
    if (error)
        return error;
    step_slots(s, &call);
    return schedule_close(s, request);
}
