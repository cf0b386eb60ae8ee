#include "insight/wrap/wrap.h"

#include "insight/board/loss.h"
#include "insight/board/process_record.h"
#include "insight/call/call_lock.h"
#include "insight/call/program_site.h"
#include "insight/checks/message/message_check.h"
#include "insight/checks/object/object_check.h"
#include "insight/findings/finding.h"
#include "insight/guard/page_guard.h"
#include "insight/observe/observe.h"
#include "plain/where_table.h"

#include <dlfcn.h>
#include <insight/checks.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FINALIZE_MS = 10000
};

/* A library that was opened with dlopen, as Python does, is not behind this one. */
static void *find_below(const char *name)
{
    static void *library;
    void *function = dlsym(RTLD_NEXT, name);

    if (!function && !library)
        library = dlopen("libmpi_abi.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return function || !library ? function : dlsym(library, name);
}

/* False: there is no MPI in this process (yet). The name without its P may be that of a tool. */
static bool find_real(void)
{
    for (const struct real_name *row = real_names; row->name; row++) {
        void *function = find_below(row->name), *shown = find_below(row->name + 1);

        if (!function && row == real_names)
            return false;
        memcpy((char *)&real + row->offset, &function, sizeof function);
        memcpy((char *)&below + row->offset, shown ? &shown : &function, sizeof function);
    }
    return true;
}

__attribute__((constructor)) static void process_load(void)
{
    find_real();
    where_find_mark();
}

/* Under another launcher, besides advice. */
static bool is_asked_for(void)
{
    const char *how = getenv("INKLING_CHECK");

    return how && strcmp(how, "0") != 0;
}

void process_open(void)
{
    const char *path = getenv("INKLING_JOB_BOARD"), *rank = getenv("INKLING_JOB_RANK");

    if (!real.Init && !find_real())
        return;
    program_site_open();
    observe_open();
    process.is_on = path || !observe.is_wanted || is_asked_for();
    if (process.is_on)
        page_guard_open();
    board = path ? board_open(path) : NULL;
    process.is_told = board;
    if (!board)
        return;
    atomic_store_explicit(&board->is_used, 1, memory_order_release);
    process.rank = rank ? atoi(rank) : 0;
}

static void say_wrong_order(struct intercept *call)
{
    if (process.was_up)
        finding_add(&(struct finding_about){.class = FINDING_CALL_ORDER,
                                            .call = call,
                                            .fix = "move the call before MPI_Finalize"},
                    "%s is called after MPI_Finalize", call->procedure->name);
    else
        finding_add(
            &(struct finding_about){.class = FINDING_CALL_ORDER, .call = call, .fix = "call MPI_Init first"},
            "%s is called before MPI_Init", call->procedure->name);
}

void process_check_order(struct intercept *call)
{
    if (!process.is_up && !call->procedure->is_any_time && process.sessions == 0)
        say_wrong_order(call);
}

void process_starting(struct intercept *call)
{
    if (process.has_world || process.was_up)
        finding_add(
            &(struct finding_about){.class = FINDING_CALL_ORDER,
                                    .call = call,
                                    .fix = "call it once; MPI_Initialized tells whether it has been called"},
            "%s is called again", call->procedure->name);
}

/* The place is that of the last call: what is missing has none. */
static void look_at_exit(int status, void *unused)
{
    (void)unused;
    if (process.pid != getpid())
        return;
    hang_join();
    if (status == 0 && process.has_world)
        finding_add(&(struct finding_about){.class = FINDING_CALL_ORDER,
                                            .where = process.last_site,
                                            .fix = "call MPI_Finalize"},
                    "the process ends without MPI_Finalize; its last call of MPI is here");
    if (process.had_sessions && !process.was_up && !process.has_world)
        process_tell();
    if (status == 0 && process.has_found) {
        fflush(NULL);
        _exit(CODE_FOUND);
    }
}

static void start_checks(void)
{
    if (!process.pid)
        on_exit(look_at_exit, NULL);
    process.pid = getpid();
    crash_place_open();
    if (!process.is_up)
        hang_start();
    process.is_up = true;
}

static struct intercept *ending; /* MPI_Finalize; owned by the thread that calls it */

static int end_checks(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self;
    (void)key;
    (void)value;
    (void)extra;
    call_lock_take();
    object_check_leaks(ending);
    call_lock_release();
    board_gather_findings(ending);
    return MPI_SUCCESS;
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first, the first one last (MPI-5.0 section 12.2.4): what the program has
 * there to free its objects at the end has done so by then. */
static void want_end(void)
{
    int key;

    real.Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_checks, &key, NULL);
    real.Comm_set_attr(MPI_COMM_SELF, key, NULL);
    real.Comm_free_keyval(&key);
}

void process_started(struct intercept *call, int error)
{
    (void)call;
    if (error || process.has_world)
        return;
    real.Comm_rank(MPI_COMM_WORLD, &process.rank);
    real.Comm_size(MPI_COMM_WORLD, &process.size);
    real.Query_thread(&process.level);
    program_threads_open();
    process_is_main = true;
    if (process.is_on) /* as on all ranks */
        board_gather_open();
    process.is_on = process.is_on && board;
    if (!process.is_on)
        return;
    process.has_world = true;
    if (process.leads && !process.is_told)
        process_start_keeper();
    comm_check_start();
    error_check_start();
    want_end();
    start_checks();
}

void process_finalizing(struct intercept *call)
{
    struct comm_record *world = comm_check_find(MPI_COMM_WORLD);

    ending = call;
    error_unread_tell();
    /* release: its messages are on the board */
    atomic_store_explicit(&board->rank[process.rank % BOARD_RANKS].finalizes, 1, memory_order_release);
    if (world)
        comm_check_enter_finalize(call, world);
}

static bool is_finalizing(int rank)
{
    return atomic_load_explicit(&board->rank[rank].finalizes, memory_order_acquire);
}

/* Ranks with the board that have died before MPI_Finalize. */
static uint32_t count_lost(void)
{
    uint32_t lost = 0;

    for (int i = 0; loss_news() > 0 && i < process.size; i++)
        lost += process_shares(i) && loss_is_dead(i) && !is_finalizing(i);
    return lost;
}

/* The last rank of those that have the board; where findings were gathered, rank 0. */
static bool is_teller(void)
{
    if (process.gathers)
        return process.rank == 0;
    return atomic_fetch_add_explicit(&board->ended, 1, memory_order_acq_rel) + 1 + count_lost() ==
           (uint32_t)(process.is_shared ? process.sharing : 1);
}

/* MPI_Finalize need not wait for the others, who may still send. */
static void await_others(void)
{
    int next = 0;

    for (int i = 0; i < FINALIZE_MS && process.is_shared; i++) {
        while (next < process.size && (!process_shares(next) || is_finalizing(next) || loss_is_dead(next)))
            next++;
        if (next == process.size)
            return;
        usleep(1000);
    }
}

/* Sessions may still be open. */
static void stop_checks(void)
{
    process.is_up = process.has_world || process.sessions > 0;
    if (!process.is_up)
        hang_stop();
}

void process_finalized(struct intercept *call, int error)
{
    if (error)
        return;
    process.has_world = false;
    process.was_up = true;
    stop_checks();
    if (!process.gathers)
        await_others();
    if (!process.gathers && process.sessions == 0)
        message_check_lost(call);
    if (is_teller())
        process_tell();
}

/* The rank, of a group of the program's own session. */
static bool find_session_rank(MPI_Session session)
{
    MPI_Group all;

    if (real.Group_from_session_pset(session, "mpi://WORLD", &all))
        return false;
    real.Group_rank(all, &process.rank);
    real.Group_size(all, &process.size);
    real.Group_free(&all);
    return process.rank >= 0;
}

void process_session_opened(struct intercept *call, int error)
{
    MPI_Session *session = (MPI_Session *)(intptr_t)intercept_argument(call, AT_NEW);

    if (error)
        return;
    tracked_add(TRACKED_SESSION, (uint64_t)(uintptr_t)*session, sizeof(struct tracked), call);
    if (process.sessions++ > 0 || process.is_up || !find_session_rank(*session))
        return;
    process.had_sessions = true;
    process.level = MPI_THREAD_MULTIPLE; /* each session has its own */
    process_is_main = true;
    board_gather_open_alone();
    process.is_on = board;
    if (process.is_on)
        start_checks();
}

void process_session_closing(struct intercept *call)
{
    call->saved[0] = *(int64_t *)(intptr_t)intercept_argument(call, AT_SESSION);
    if (process.is_up && process.sessions == 1 && !process.has_world)
        object_check_leaks(call);
}

void process_session_closed(struct intercept *call, int error)
{
    if (error)
        return;
    tracked_remove(TRACKED_SESSION, (uint64_t)call->saved[0]);
    if (--process.sessions > 0 || process.has_world || !process.is_up)
        return;
    stop_checks();
    message_check_lost(call);
}
