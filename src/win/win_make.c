#include "win/win_make.h"

#include "boot/boot.h"
#include "coll/coll.h"
#include "making/hint_report.h"
#include "making/make.h"
#include "memory/memory.h"
#include "p2p/lane.h"
#include "p2p/lost.h"
#include "plain/fail.h"
#include "win/agent.h"
#include "win/attachment.h"
#include "win/combiner.h"
#include "win/control.h"
#include "win/epoch.h"
#include "win/win.h"
#include "win/win_network.h"

#include <stdlib.h>
#include <string.h>

/* Tells what became of a window's hints (making/hint_report.h). */

/* Of same_size and same_disp_unit: why segments do not lie one after the other without a table. */
static const char *uniform_absence(const struct win *win)
{
    if (win->flavor != MPI_WIN_FLAVOR_ALLOCATE && win->flavor != MPI_WIN_FLAVOR_SHARED)
        return "the program allocated the memory";
    if (!win->segment)
        return NULL;
    if (!hint_value(&win->hints, HINT_SAME_SIZE))
        return "same_size is not given as well";
    if (!hint_value(&win->hints, HINT_SAME_DISP_UNIT))
        return "same_disp_unit is not given as well";
    return boot.all_local ? "the ranks share no block of memory" : "several hosts";
}

static const char *alignment_absence(const struct win *win)
{
    if (win->flavor != MPI_WIN_FLAVOR_ALLOCATE && win->flavor != MPI_WIN_FLAVOR_SHARED)
        return "the program allocated the memory";
    return hint_value(&win->hints, HINT_MINIMUM_MEMORY_ALIGNMENT) < 64 ? "memory begins so anyway" : NULL;
}

/* Of accumulate_ops=same_op. */
static void same_op_effect(const struct win *win, struct report_effect *effect)
{
    if (combiner_is_coarse(win))
        effect->absence = "mpi_accumulate_granularity makes all accumulates take locks";
    effect->unused = "it spared no replacement a lock";
    effect->count[0] = atomic_load_explicit(&win->spared_locks, memory_order_relaxed);
    effect->counted = "# accumulates took no lock";
}

static void granularity_effect(const struct win *win, struct report_effect *effect)
{
    if (!combiner_is_coarse(win))
        effect->absence = "single elements are protected anyway";
    effect->unused = "no accumulate of integers took a lock for it";
    effect->count[0] = atomic_load_explicit(&win->coarse_locks, memory_order_relaxed);
    effect->counted = "# accumulates of integers took a lock";
}

static void win_report_effect(const void *object, enum hint_id id, struct report_effect *effect)
{
    const struct win *win = object;

    switch (hint_table[id].acts_on) {
    case ACTS_ON_UNIFORM_WINDOW:
        effect->absence = uniform_absence(win);
        break;
    case ACTS_ON_ALIGNMENT:
        effect->absence = alignment_absence(win);
        break;
    case ACTS_ON_REPLACE:
        same_op_effect(win, effect);
        break;
    case ACTS_ON_GRANULARITY:
        granularity_effect(win, effect);
        break;
    case ACTS_ON_SHARED_WINDOW:
        if (win->flavor != MPI_WIN_FLAVOR_SHARED)
            effect->absence = "it is about windows of MPI_Win_allocate_shared";
        break;
    default:
        break;
    }
}

/* is_final: the window is freed, or MPI ends. */
static void win_report(struct win *win, bool is_final)
{
    hint_report_object(&(struct report_object){.kind = "window",
                                               .title = win->name[0] ? win->name : "a window",
                                               .rank = win->rank,
                                               .size = win->size,
                                               .place = win,
                                               .is_final = is_final},
                       &win->hints, win_report_effect, win);
}

/* What a call asks for. */
struct order {
    const char *call; /* NULL: the library's own, in which rank 0 alone has memory */
    int flavor;
    void *base; /* the program's */
    MPI_Aint bytes, unit;
    struct info *info;
};

static int check_window_order(const struct order *o)
{
    if (o->bytes < 0)
        return fail(MPI_ERR_SIZE, "size %lld is negative", (long long)o->bytes);
    if (o->unit <= 0)
        return fail(MPI_ERR_DISP, "disp_unit %lld is not positive", (long long)o->unit);
    if (o->flavor == MPI_WIN_FLAVOR_CREATE && !o->base && o->bytes)
        return fail(MPI_ERR_BASE, "base is NULL, but size is %lld", (long long)o->bytes);
    return MPI_SUCCESS;
}

/* Whether a member has died, so that others may still access memory of the window: they have not agreed to end it. */
static bool is_broken(const struct win *win)
{
    bool is_hit;

    if (!win->may_survive || !win->comm)
        return false;
    lane_take(&lanes[0]);
    is_hit = lost_hits(win->comm);
    lane_release(&lanes[0]);
    return is_hit;
}

/* What others may access stays. */
static void discard_memory(struct win *win)
{
    if (is_broken(win))
        return;
    if (win->shared_memory)
        memory_free(win->shared_memory);
    if (win->memory)
        memory_free(win->memory);
}

static void win_discard(struct win *win)
{
    if (win->started)
        partners_free(win->started);
    if (win->posted)
        partners_free(win->posted);
    win_network_close(win);
    agent_close(win);
    attachment_close(win);
    win_memory_let_go(win);
    free(win->segment);
    free(epoch_table(win));
    if (!win->control)
        free(win->own_control);
    free(win->neighbour);
    discard_memory(win);
    errhandler_unref(win->errhandler);
    hints_fini(&win->hints);
    if (win->comm)
        comm_unref(win->comm);
    pool_free(&win_pool, win);
}

/* What this rank needs whatever the others do, so that nothing that may fail is left for later. */
static int prepare_parts(struct win *win)
{
    bool has_table = win->segments == win->size;

    if (has_table)
        win->segment = calloc((size_t)win->size, sizeof *win->segment);
    win->own_control = aligned_alloc(64, sizeof *win->own_control);
    if ((has_table && !win->segment) || !win->own_control)
        return fail(MPI_ERR_NO_MEM, "no memory for a window of %d ranks", win->size);
    memset(win->own_control, 0, sizeof *win->own_control);
    return win->flavor == MPI_WIN_FLAVOR_DYNAMIC ? attachment_open(win) : MPI_SUCCESS;
}

static int prepare(const struct order *o, struct comm *comm, struct win **made)
{
    int error = check_window_order(o);
    struct win *win = error ? NULL : pool_new(&win_pool);

    if (!win)
        return error ? error : fail(MPI_ERR_NO_MEM, "no memory for a window");
    win->flavor = o->flavor;
    win->rank = comm->rank;
    win->size = comm->size;
    win->lock = (struct lock)LOCK_INIT;
    win->segments = o->flavor == MPI_WIN_FLAVOR_DYNAMIC ? 0 : o->call ? comm->size : 1;
    win->mine = (struct win_segment){o->base, (uint64_t)(uintptr_t)o->base, o->bytes, o->unit};
    win->unit_attribute = (int)o->unit;
    win->errhandler = &errhandler_fatal;
    win->may_survive = win->looks_around = net_survives();
    hints_init(&win->hints, ON_WIN);
    hints_set_model(&win->hints, comm->session ? session_kinds(comm->session) : NULL);
    if (o->call)
        info_offer(o->info, &win->hints, AT_CREATE, o->call);
    error = prepare_parts(win);
    if (error) {
        win_discard(win);
        return error;
    }
    *made = win;
    return MPI_SUCCESS;
}

/* The hidden communicator. `error`: of this rank so far. All ranks get an error if one has. */
static int make_comm(struct comm *comm, int error, struct comm **made)
{
    struct members members = make_everybody(comm);
    struct comm *c = NULL;

    if (!error)
        error = make_prepare(comm, comm->group, NULL, NULL, &c);
    error = make(&members, c, error, made);
    if (!error)
        object_retire(&comm_pool, &(*made)->object);
    return error;
}

static int build(struct win *win, bool *is_reached)
{
    int error;

    win->alignment = hint_value(&win->hints, HINT_MINIMUM_MEMORY_ALIGNMENT);
    error = agree_hints(win->comm, &win->hints, &win->alignment);
    if (!error)
        error = win_memory_place(win);
    if (!error)
        error = win_memory_hold(win);
    return error ? error : win_memory_is_reached(win, is_reached);
}

/* The ways to memory that ranks do not reach by themselves. */
static int open_ways(struct win *win)
{
    bool offers = win_network_offer(win);
    int error = agent_open(win, &offers);

    return error ? error : win_network_open(win, offers);
}

/* The ranks take part in all of this together, and fail together. They agree over the program's communicator: it has
 * the shared memory of collectives by now, which costs more to make than most windows (coll/shm/shm_coll.h). */
static int build_with(struct win *win, struct comm *hidden, struct comm *programs)
{
    bool is_reached = true;
    int error;

    win->comm = programs;
    error = build(win, &is_reached);
    win->comm = hidden;
    return error || is_reached ? error : open_ways(win);
}

static struct lock live_lock = LOCK_INIT; /* guards the list */
static struct link live = LIST_INIT(live);

static void report_live(void)
{
    lock_take(&live_lock);
    for (struct link *l = live.next; l != &live; l = l->next)
        win_report(LIST_ENTRY(l, struct win, link), true);
    lock_release(&live_lock);
}

static void live_list_add(struct win *win)
{
    hint_report_windows_by(report_live);
    lock_take(&live_lock);
    list_add(&live, &win->link);
    lock_release(&live_lock);
}

static void live_list_remove(struct win *win)
{
    lock_take(&live_lock);
    list_remove(&win->link);
    lock_release(&live_lock);
}

static int make_window(const struct order *o, struct comm *comm, struct win **made)
{
    struct comm *hidden = NULL;
    struct win *win = NULL;
    int error;

    if (comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "comm is an intercommunicator; a window needs an intracommunicator");
    error = prepare(o, comm, &win);
    error = make_comm(comm, error, &hidden);
    if (!error) {
        hidden->outlives_members = true; /* agents serve those who are left */
        error = build_with(win, hidden, comm);
    }
    if (!error) {
        live_list_add(win);
        win_report(win, false);
        *made = win;
    } else if (win) {
        win_discard(win);
    }
    return error;
}

int win_create(void *base, MPI_Aint size, MPI_Aint disp_unit, struct info *info, struct comm *comm,
               struct win **win)
{
    struct order o = {"MPI_Win_create", MPI_WIN_FLAVOR_CREATE, base, size, disp_unit, info};

    return make_window(&o, comm, win);
}

static int make_allocated(const struct order *o, struct comm *comm, void *baseptr, struct win **win)
{
    int error = make_window(o, comm, win);

    if (!error)
        *(void **)baseptr = (*win)->mine.at;
    return error;
}

int win_allocate(MPI_Aint size, MPI_Aint disp_unit, struct info *info, struct comm *comm, void *baseptr,
                 struct win **win)
{
    struct order o = {"MPI_Win_allocate", MPI_WIN_FLAVOR_ALLOCATE, NULL, size, disp_unit, info};

    return make_allocated(&o, comm, baseptr, win);
}

int win_allocate_shared(MPI_Aint size, MPI_Aint disp_unit, struct info *info, struct comm *comm,
                        void *baseptr, struct win **win)
{
    struct order o = {"MPI_Win_allocate_shared", MPI_WIN_FLAVOR_SHARED, NULL, size, disp_unit, info};

    return make_allocated(&o, comm, baseptr, win);
}

int win_allocate_own(MPI_Aint size, MPI_Aint disp_unit, struct comm *comm, void *baseptr, struct win **win)
{
    struct order o = {NULL, MPI_WIN_FLAVOR_ALLOCATE, NULL, comm->rank ? 0 : size, disp_unit, NULL};

    return make_allocated(&o, comm, baseptr, win);
}

int win_create_dynamic(struct info *info, struct comm *comm, struct win **win)
{
    struct order o = {"MPI_Win_create_dynamic", MPI_WIN_FLAVOR_DYNAMIC, MPI_BOTTOM, 0, 1, info};

    return make_window(&o, comm, win);
}

/* The lowest rank with memory that this process maps; -1: none. */
static int first_with_memory(const struct win *win)
{
    for (int r = 0; r < win->size; r++) {
        struct win_segment s = win_segment_of(win, r);

        if (s.at && s.bytes)
            return r;
    }
    return -1;
}

int win_shared_query(struct win *win, int rank, MPI_Aint *size, MPI_Count *disp_unit, void *baseptr)
{
    struct win_segment s = {NULL, 0, 0, 1};
    int error;

    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return fail(MPI_ERR_RMA_FLAVOR, "MPI_Win_shared_query: the window is one of MPI_Win_create_dynamic");
    error = rank == MPI_PROC_NULL ? MPI_SUCCESS : epoch_check_rank(win, rank);
    if (error)
        return error;
    if (rank == MPI_PROC_NULL)
        rank = first_with_memory(win);
    if (rank >= 0)
        s = win_segment_of(win, rank);
    *size = s.at ? s.bytes : 0;
    *disp_unit = s.unit;
    *(void **)baseptr = s.at;
    return MPI_SUCCESS;
}

/* Whether this process has no epoch open. */
static int check_closed(struct win *win)
{
    int error = epoch_refuse_open(win, "MPI_Win_free", 0);

    if (!error && win->posted)
        error = fail(MPI_ERR_RMA_SYNC, "MPI_Win_free: this rank has posted; call MPI_Win_wait before");
    return error;
}

/* No rank frees while another still accesses: all agree first. An epoch that is open on one keeps it on all. */
static int agree_to_free(struct win *win)
{
    int mine = check_closed(win);
    uint64_t closed = !mine;
    int error = agent_flush_all(win);

    if (!error)
        error = coll_agree(win->comm, &closed, NULL);
    if (mine || error)
        return mine ? mine : error;
    return closed ? MPI_SUCCESS
                  : fail(MPI_ERR_RMA_SYNC, "MPI_Win_free: another rank has an epoch open on the window");
}

/* If a member has died, each rank frees it alone, with what is open on it. */
int win_free(struct win *win)
{
    int error = control_check_targets(win) ? MPI_SUCCESS : agree_to_free(win);

    if (error && !control_check_targets(win))
        return error;
    error = attribute_delete_all(&win->attributes, win_handle(win));
    if (error)
        return error;
    win_report(win, true);
    live_list_remove(win);
    object_retire(&win_pool, &win->object);
    win_discard(win);
    return MPI_SUCCESS;
}

/* The ranks agree whatever this rank's info holds, and even if it is out of memory. */
int win_set_info(struct win *win, struct info *info)
{
    struct hints copy;
    bool copied = hints_copy(&win->hints, &copy);
    int flushed = agent_flush_all(win), error;

    if (copied)
        info_offer(info, &copy, AT_SET, "MPI_Win_set_info");
    error = agree_hints(win->comm, copied ? &copy : &win->hints, NULL);
    if (!copied)
        return error ? error : fail(MPI_ERR_NO_MEM, "no memory for the hints");
    if (!error) {
        hints_move(&win->hints, &copy);
        win_report(win, false);
    }
    hints_fini(&copy);
    return error ? error : flushed;
}
