#include "coll/slots.h"

#include "base/clock.h"
#include "base/log.h"
#include "boot/boot.h"
#include "coll/berth.h"
#include "coll/station.h"
#include "hint/hint.h"
#include "progress/progress.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum {
    USES_BEFORE = 4,        /* calls that could have used stations before they are made */
    QUICK_LOOKS = 64,       /* before other progress is made, where each rank has a core; ... */
    CROWDED_LOOKS = 8,      /* ... where they do not: between progress, ... */
    YIELDS = 24,            /* ... how often, and ... */
    YIELDS_NS = 200 * 1000, /* ... how long a wait yields before it naps */
    NAP_MOST_NS = 5 * 1000 * 1000
};

/* Stations of one communicator, narrow or wide, by form. */
struct width {
    int uses;
    bool is_made, is_made_strict; /* or was tried */
    struct slots *form[FORM_PERSISTENT + 1];
};

struct comm_slots {
    size_t most[COLL_COUNT]; /* bytes that a collective may have, + 1; 0: it never takes slots */
    struct width narrow, wide;
    struct berths berths;
};

static void free_width(struct width *width)
{
    for (int i = 0; i <= FORM_PERSISTENT; i++)
        if (width->form[i])
            slots_free(width->form[i]);
}

static void free_slots(struct comm_slots *slots)
{
    free_width(&slots->narrow);
    free_width(&slots->wide);
    berths_free(&slots->berths);
    free(slots);
}

static bool is_possible(const struct comm *comm)
{
    return comm->size > 1 && comm->size <= STATION_RANKS && boot.all_local && !comm->group->has_guests &&
           !comm_is_inter(comm);
}

/* Bytes, all together, that can go through wide stations; a broadcast goes in portions. */
static size_t most_of(enum collective collective, int size)
{
    if (collective == COLL_BCAST)
        return SIZE_MAX - 1;
    return collective == COLL_ALLGATHER ? WIDE_MOST * (size_t)size : WIDE_MOST;
}

/* Without memory for it the job ends: a rank that does not count along takes other ways than the others. */
static struct comm_slots *new_account(void)
{
    struct comm_slots *slots = calloc(1, sizeof *slots);

    if (!slots)
        log_die("no memory to keep account of a communicator's collectives");
    return slots;
}

/* What there is for this communicator; made on first use. NULL: nothing. */
static struct comm_slots *slots_of(struct comm *comm)
{
    struct comm_slots *slots = is_possible(comm) ? new_account() : NULL;

    if (!slots)
        return NULL;
    for (int c = 0; c < COLL_COUNT; c++)
        slots->most[c] =
            choice_slots((enum collective)c, comm->size, most_of((enum collective)c, comm->size));
    comm->slots = slots;
    comm->slots_free = free_slots;
    return slots;
}

/* Those of nonblocking calls, which must not wait, are made with those of blocking ones. */
static void make(struct comm *comm, struct width *width, bool is_wide, enum form form)
{
    if (form == FORM_PERSISTENT && !width->is_made_strict) {
        width->is_made_strict = true; /* also while it is being made, by collectives */
        width->form[FORM_PERSISTENT] = slots_new(comm, is_wide);
    }
    if (form != FORM_PERSISTENT && !width->is_made && ++width->uses > USES_BEFORE && form == FORM_BLOCKING) {
        width->is_made = true;
        width->form[FORM_BLOCKING] = slots_new(comm, is_wide);
        width->form[FORM_NONBLOCKING] = slots_new(comm, is_wide);
    }
}

static struct slots *find(struct comm *comm, struct comm_slots *slots, enum form form,
                          enum collective collective, size_t bytes)
{
    bool is_wide = bytes > NARROW_MOST;
    struct width *width = is_wide ? &slots->wide : &slots->narrow;

    if (form == FORM_PERSISTENT && !hint_value(&comm->hints, HINT_STRICT_PERSISTENT_ORDERING))
        return berth_new(comm, &slots->berths, collective, bytes);
    if (!width->form[form])
        make(comm, width, is_wide, form);
    return width->form[form];
}

struct slots *slots_for(struct comm *comm, enum form form, enum collective collective, size_t bytes)
{
    struct comm_slots *slots = comm->slots ? comm->slots : slots_of(comm);

    return slots && bytes < slots->most[collective] ? find(comm, slots, form, collective, bytes) : NULL;
}

struct slots *slots_to_tell(struct comm *comm, enum form form)
{
    struct comm_slots *slots = comm->slots ? comm->slots : slots_of(comm);

    return slots ? find(comm, slots, form, COLL_BARRIER, TOLD_BYTES) : NULL;
}

struct slots *slots_for_reduction(struct comm *comm, enum form form, enum collective collective,
                                  MPI_Count count, const struct datatype *type)
{
    if (hint_process.value[HINT_REPRODUCIBLE_REDUCTIONS])
        return NULL; /* messages may cross hosts, and are combined in the same order on one */
    if (type->representation == REP_NONE || !type->dense || count > WIDE_MOST)
        return NULL;
    return slots_for(comm, form, collective, (size_t)count * (size_t)type->size);
}

/* How a wait has gone so far. */
struct patience {
    int looks;
    uint64_t since;  /* clock when it began to look at it; 0: not yet */
    uint64_t number; /* of what it waits for */
};

static void nap(uint64_t waited)
{
    struct timespec t = {0, (long)(waited / 8 < NAP_MOST_NS ? waited / 8 : NAP_MOST_NS)};

    nanosleep(&t, NULL);
}

/* Until a rank that publishes wakes this one. True: the call is over. */
static bool sleep_until_told(struct slot_call *call, uint64_t waited)
{
    struct sleep_ticket bed;
    bool is_over;

    if (slot_waits_for_done(call)) { /* of which ranks tell nobody */
        nap(waited);
        return false;
    }
    if (!progress_prepare_sleep(&bed))
        return false;
    is_over = slot_try(call);
    if (is_over)
        progress_end_sleep(&bed);
    else
        progress_sleep(&bed);
    return is_over;
}

/* Spins or yields for a short time; then sleeps, or naps where wake-ups cost the others their cores. Who has
 * a core alone has soon yielded often, while the others wait for it: napping at once took five times as long.
 * True: the call is over. */
static bool be_patient(struct patience *p, struct slot_call *call)
{
    bool is_crowded = progress_is_crowded();
    uint64_t now;

    p->looks++;
    if (p->looks >= (is_crowded ? YIELDS : QUICK_LOOKS) || (is_crowded && p->looks % CROWDED_LOOKS == 0))
        progress_poll();
    if (!is_crowded && p->looks % QUICK_LOOKS) {
        progress_relax();
        return false;
    }
    now = clock_ns();
    if (!p->since)
        p->since = now;
    if (is_crowded && (p->looks < YIELDS || now - p->since < YIELDS_NS))
        sched_yield();
    else if (is_crowded)
        nap(now - p->since);
    else if (now - p->since > (uint64_t)hint_process.value[HINT_SPIN_TIME])
        return sleep_until_told(call, now - p->since);
    return false;
}

int slots_run(struct slots *slots, struct slot_call *call)
{
    struct patience p = {0, 0, 0};

    call->slots = slots;
    slot_begin(call);
    while (!slot_try(call)) {
        if (p.number != call->number)
            p = (struct patience){0, 0, call->number};
        if (be_patient(&p, call))
            break;
    }
    return call->error;
}

int slots_do(struct comm *comm, struct slots *slots, struct slot_call *call, enum form form,
             struct request **request)
{
    if (form == FORM_BLOCKING)
        return slots_run(slots, call);
    call->slots = slots;
    return form == FORM_NONBLOCKING ? slots_start(comm, call, request) : slots_keep(comm, call, request);
}
