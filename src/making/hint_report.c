#include "making/hint_report.h"

#include "boot/boot.h"
#include "coll/shm/shm_coll.h"
#include "hint/outside.h"
#include "metric/metric.h"
#include "p2p/lane.h"
#include "p2p/match/match.h"

#include <stdatomic.h>

static _Atomic int lines;                                /* told so far of what has ended */
static atomic_flag settings_are_told = ATOMIC_FLAG_INIT; /* a session may follow the last one */
static void (*_Atomic report_windows)(void); /* release, acquire in hint_report_rest; NULL: there were none */

void hint_report_object(const struct report_object *object, struct hints *h, report_effect_fn *effect,
                        const void *of)
{
    int count;

    if (!report_is_wanted(object->rank))
        return;
    count = report_hints(object, h, effect, of);
    if (object->is_final)
        atomic_fetch_add_explicit(&lines, count, memory_order_relaxed);
}

void hint_report_fact(const struct report_object *object, const char *counted,
                      const uint64_t count[REPORT_COUNTS])
{
    if (!report_is_wanted(object->rank))
        return;
    report_fact(object, counted, count);
    atomic_fetch_add_explicit(&lines, 1, memory_order_relaxed);
}

static uint64_t count_of(const struct comm *comm, enum metric word)
{
    return atomic_load_explicit(&comm->word[word - METRIC_WORDS], memory_order_relaxed);
}

/* Of the promises not to use wildcards. */
static void filing_effect(const struct comm *comm, struct report_effect *effect)
{
    effect->unused = "no message waited behind another for its receive";
    effect->count[0] = match_count_filed(comm);
    effect->counted = "# messages that waited were filed in fewer places";
}

static void length_effect(const struct comm *comm, struct report_effect *effect)
{
    uint64_t sent = count_of(comm, METRIC_COMM_ADVERTISED_MESSAGES);
    uint64_t large = sent + count_of(comm, METRIC_COMM_RENDEZVOUS_MESSAGES);

    effect->count[0] = sent;
    effect->count[1] = large;
    effect->counted = "# of # large messages were written directly";
    if (!count_of(comm, METRIC_COMM_ADVERTISED_RECEIVES))
        effect->unused = large ? "no large message met a receive that waited for its source and tag"
                               : "no large message was sent, nor written into a receive";
}

static void hint_report_effect(const void *object, enum hint_id id, struct report_effect *effect)
{
    const struct comm *comm = object;

    switch (hint_table[id].acts_on) {
    case ACTS_ON_SHARED_STARTS:
        effect->absence = shm_coll_absence(comm);
        break;
    case ACTS_ON_COLLECTIVES:
    case ACTS_ON_PEERS:
        effect->absence = comm_is_inter(comm) ? "intercommunicator" : comm->size == 1 ? "one rank" : NULL;
        break;
    case ACTS_ON_LANES:
        effect->absence = lane_spread_absence(comm);
        break;
    case ACTS_ON_FILING:
        filing_effect(comm, effect);
        break;
    case ACTS_ON_ADVERTS:
        length_effect(comm, effect);
        break;
    default:
        break;
    }
}

static void hint_report_of(struct comm *comm, bool is_final)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    if (report_level() == REPORT_OFF)
        return;
    comm_get_name(comm, name, &length);
    hint_report_object(&(struct report_object){.kind = "communicator",
                                               .title = length ? name : "communicator",
                                               .rank = comm->rank,
                                               .size = comm->size,
                                               .place = comm,
                                               .is_final = is_final},
                       &comm->hints, hint_report_effect, comm);
}

void hint_report_comm(struct comm *comm)
{
    hint_report_of(comm, false);
}

void hint_report_last_of_comm(struct comm *comm)
{
    hint_report_of(comm, true);
}

void hint_report_windows_by(void (*report)(void))
{
    atomic_store_explicit(&report_windows, report, memory_order_release);
}

static void report_comm_of_world(struct comm *comm)
{
    if (!comm->session)
        hint_report_of(comm, true);
}

static void report_comm_of_session(struct comm *comm)
{
    if (comm->session)
        hint_report_of(comm, true);
}

void hint_report_world(void)
{
    if (report_level() != REPORT_OFF)
        comm_each(report_comm_of_world);
}

static void setting_effect(const void *of, enum hint_id id, struct report_effect *effect)
{
    (void)of;
    if (id != HINT_OUTSIDE)
        return;
    effect->unused = "no line matched an object";
    effect->count[0] = outside_count_matches();
    effect->counted = "lines matched # objects";
}

void hint_report_rest(void)
{
    void (*windows)(void) = atomic_load_explicit(&report_windows, memory_order_acquire);

    outside_report(boot.rank);
    if (report_level() == REPORT_OFF)
        return;
    comm_each(report_comm_of_session);
    if (windows)
        windows();
    if (!atomic_flag_test_and_set_explicit(&settings_are_told, memory_order_relaxed))
        hint_report_object(&(struct report_object){.kind = "settings",
                                                   .title = "settings",
                                                   .rank = boot.rank,
                                                   .place = &hint_process,
                                                   .is_final = true},
                           &hint_process, setting_effect, NULL);
    if (atomic_load_explicit(&lines, memory_order_relaxed) == 0)
        report_none(boot.rank);
}
