#include "insight/observe/observe.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SITE_SLOTS = 2 * PROFILE_SITES
};

/* Which sites there are, by address, procedure and object: one more than the index. */
static struct site_slot {
    void *address;
    const struct procedure *procedure;
    int object;
    uint32_t site;
} slots[SITE_SLOTS];

static const enum profile_use use_of[FAMILIES] = {
    [FAMILY_NONE] = USE_OTHER,
    [FAMILY_GET_STATUS] = USE_OTHER,
    [FAMILY_SEND] = USE_SEND,
    [FAMILY_ISEND] = USE_SEND,
    [FAMILY_IRECV] = USE_SEND,
    [FAMILY_IMRECV] = USE_SEND,
    [FAMILY_ISENDRECV] = USE_SEND,
    [FAMILY_START] = USE_SEND,
    [FAMILY_STARTALL] = USE_SEND,
    [FAMILY_PREADY] = USE_SEND,
    [FAMILY_RECV] = USE_WAIT,
    [FAMILY_MRECV] = USE_WAIT,
    [FAMILY_SENDRECV] = USE_WAIT,
    [FAMILY_PROBE] = USE_WAIT,
    [FAMILY_IPROBE] = USE_WAIT,
    [FAMILY_WAIT] = USE_WAIT,
    [FAMILY_WAITALL] = USE_WAIT,
    [FAMILY_WAITANY] = USE_WAIT,
    [FAMILY_WAITSOME] = USE_WAIT,
    [FAMILY_TEST] = USE_WAIT,
    [FAMILY_TESTALL] = USE_WAIT,
    [FAMILY_TESTANY] = USE_WAIT,
    [FAMILY_TESTSOME] = USE_WAIT,
    [FAMILY_COLLECTIVE] = USE_COLLECTIVE,
    [FAMILY_ICOLLECTIVE] = USE_COLLECTIVE,
    [FAMILY_WIN_FENCE] = USE_RMA,
    [FAMILY_WIN_START] = USE_RMA,
    [FAMILY_WIN_COMPLETE] = USE_RMA,
    [FAMILY_WIN_POST] = USE_RMA,
    [FAMILY_WIN_WAIT] = USE_RMA,
    [FAMILY_WIN_LOCK] = USE_RMA,
    [FAMILY_WIN_UNLOCK] = USE_RMA,
    [FAMILY_WIN_FLUSH] = USE_RMA,
    [FAMILY_WIN_FLUSH_LOCAL] = USE_RMA,
    [FAMILY_RMA] = USE_RMA,
    [FAMILY_RMA_REQUEST] = USE_RMA,
};

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void observe_open(void)
{
    const char *folder = getenv("INKLING_JOB_ADVISE");

    observe.is_wanted = folder && *folder;
}

static void begin_profile(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    struct profile *p;
    int length = 0, level = MPI_THREAD_SINGLE;
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";

    real.Comm_get_parent(&parent);
    if (observe.is_on || parent != MPI_COMM_NULL) /* spawned jobs are not observed */
        return;
    real.Comm_rank(MPI_COMM_WORLD, &observe.rank);
    real.Comm_size(MPI_COMM_WORLD, &observe.size);
    p = observe_kept_make();
    if (!observe.is_kept)
        real.Comm_dup(MPI_COMM_WORLD, &observe.comm);
    if (!p)
        return; /* observe_end misses this rank, and says so */
    memcpy(p->magic, "inkadv1", sizeof p->magic);
    p->version = PROFILE_VERSION;
    p->bytes = PROFILE_BYTES;
    p->size = observe.size;
    real.Query_thread(&level);
    p->has_threads = level == MPI_THREAD_MULTIPLE;
    p->bin_ns = PROFILE_BIN_NS;
    p->lane[profile_lane_of(observe.rank, observe.size)].ranks = 1;
    real.Get_library_version(version, &length);
    snprintf(p->library, sizeof p->library, "%.255s", version);
    p->library[strcspn(p->library, "\n")] = '\0';
    observe.profile = p;
    observe_object_start();
    observe_queue();
    observe.began = observe.left = now();
    observe.is_on = true;
}

/* Adds time from `from` to `to` to the bins between. */
static void add_time(enum profile_use use, uint64_t from, uint64_t to)
{
    struct profile *p = observe.profile;
    struct profile_lane *lane = &p->lane[profile_lane_of(observe.rank, observe.size)];

    if (to <= from)
        return;
    lane->time[use] += to - from;
    from -= observe.began;
    to -= observe.began;
    while (to > p->bin_ns * PROFILE_BINS)
        profile_widen(p);
    for (uint64_t bin = from / p->bin_ns; from < to; bin++) {
        uint64_t end = (bin + 1) * p->bin_ns < to ? (bin + 1) * p->bin_ns : to;

        lane->bin[bin < PROFILE_BINS ? bin : PROFILE_BINS - 1][use] += (float)(end - from);
        from = end;
    }
}

static struct profile_site *find_site(const struct intercept *call, int object)
{
    struct profile *p = observe.profile;
    size_t at =
        ((uintptr_t)call->site * 0x9e3779b97f4a7c15u ^ (uintptr_t)call->procedure ^ (size_t)object * 77) %
        SITE_SLOTS;
    struct site_slot *slot;

    for (; slots[at].site; at = (at + 1) % SITE_SLOTS)
        if (slots[at].address == call->site && slots[at].procedure == call->procedure &&
            slots[at].object == object)
            return &p->site[slots[at].site - 1];
    if (p->sites == PROFILE_SITES)
        return NULL;
    slot = &slots[at];
    *slot = (struct site_slot){call->site, call->procedure, object, ++p->sites};
    p->site[slot->site - 1] = (struct profile_site){.use = use_of[call->procedure->family],
                                                    .object = object,
                                                    .place = observe_place(call->site),
                                                    .ranks = 1,
                                                    .shortest_rank = observe.rank};
    snprintf(p->site[slot->site - 1].procedure, sizeof p->site[0].procedure, "%s", call->procedure->name);
    if (strncmp(call->procedure->name, "MPI_File_", 9) == 0)
        p->site[slot->site - 1].use = USE_FILE;
    return &p->site[slot->site - 1];
}

static void count_call(const struct intercept *call, uint64_t ended)
{
    struct profile_object *object = observe_object_of(call);
    struct profile_site *site = find_site(call, object ? observe_index(object) : -1);
    uint64_t entered =
        call->seen.entered > observe.left ? call->seen.entered : observe.left; /* threads: time counts once */
    enum profile_use use = site ? (enum profile_use)site->use : use_of[call->procedure->family];

    if (site) {
        site->calls++;
        site->time += ended - call->seen.entered;
        site->bytes += call->seen.bytes > 0 ? (uint64_t)call->seen.bytes : 0;
    }
    add_time(USE_COMPUTE, observe.left, call->seen.entered);
    add_time(use, entered, ended);
    observe.left = ended;
}

void observe_before(struct intercept *call)
{
    enum family family = call->procedure->family;

    memset(&call->seen, 0, sizeof call->seen);
    if (!observe.is_on)
        return;
    if (family == FAMILY_FINALIZE) {
        add_time(USE_COMPUTE, observe.left, now());
        observe.profile->elapsed = now() - observe.began;
        observe_end();
        return;
    }
    observe_object_before(call);
    observe_message_before(call);
    observe_access_before(call);
    call->seen.entered = now();
}

void observe_after(struct intercept *call, int error)
{
    uint64_t ended = now();

    if (call->procedure->family == FAMILY_INIT && !error)
        begin_profile();
    if (!observe.is_on || !call->seen.entered)
        return;
    count_call(call, ended);
    observe_message_after(call, error);
    if (error)
        return;
    observe_type_after(call);
    observe_object_after(call);
}
