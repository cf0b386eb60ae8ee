#include "insight/wrap/wrap.h"

#include "insight/board/loss.h"
#include "insight/board/process_record.h"
#include "insight/call/call_lock.h"
#include "insight/call/program_site.h"
#include "insight/checks/buffer/buffer_use.h"
#include "insight/checks/message/message_check.h"
#include "insight/checks/object/object_check.h"
#include "insight/checks/request/request_check.h"
#include "insight/checks/window/win_stores.h"
#include "insight/findings/finding.h"
#include "insight/guard/page_guard.h"
#include "insight/guard/watchpoint.h"
#include "insight/memory/memory_use.h"
#include "insight/objects/comm_loss.h"
#include "insight/observe/observe.h"
#include "insight/order/order_clock.h"
#include "plain/where_table.h"

#include <insight/check_table.h>
#include <string.h>

static inline __attribute__((always_inline)) void check_begin(struct intercept *call)
{
    const struct check *check = &checks[call->procedure->family];

    every_before(call);
    if (check->before && (process.is_up || call->procedure->is_any_time || process.sessions > 0))
        check->before(call);
    if (process.is_up && board)
        board->rank[(unsigned)process.rank % BOARD_RANKS].last.call = finding_place(call->site);
    intercept_add(call);
}

/* A Fortran binding calls by the name that the program has called, or, for itself, by a PMPI_ name. */
__attribute__((noinline)) static void find_program(struct intercept *call)
{
    if (!program_site_is_binding(call->site))
        return;
    if (!program_site_is_foreign(call->site)) {
        call->is_fortran = true;
        call->is_of_binding = call->is_profiling;
    }
    call->site = program_site_find(call->site);
}

static inline void clear_call(struct intercept *call)
{
    call->is_fortran = call->is_of_binding = false;
    if (program_site_libraries > 0)
        find_program(call);
    call->code = call->site;
    call->site = program_site_find_script(call->site);
    call->since = 0;
    call->is_reported = false;
    call->ignores_status = false;
    call->detail = NULL;
    call->many = NULL;
    memset(call->saved, 0, sizeof call->saved);
}

/* Of those that are in the library below. */
static __thread struct intercept *innermost __attribute__((tls_model("initial-exec")));

static void enter_library(struct intercept *call)
{
    call->outer = innermost;
    innermost = call;
    intercept_where = INTERCEPT_BELOW;
}

static void leave_library(const struct intercept *call)
{
    innermost = call->outer;
    intercept_where = INTERCEPT_CHECKS;
}

/* What a call frees: its first argument points to it. */
static int64_t freed_object(const struct intercept *call)
{
    const void *variable = (const void *)(intptr_t)call->argument[0];

    if (!variable)
        return 0;
    return call->procedure->family == FAMILY_KEYVAL_FREE ? *(const int *)variable
                                                         : *(const int64_t *)variable;
}

/* A tool of the program passes on what it was called for. */
static bool is_passed_on(const struct intercept *call)
{
    for (const struct intercept *outer = innermost; outer; outer = outer->outer)
        if (outer->procedure == call->procedure && freed_object(outer) == freed_object(call))
            return true;
    return false;
}

static inline __attribute__((always_inline)) void enter_checks(struct intercept *call)
{
    const struct check *check = &checks[call->procedure->family];

    intercept_where = INTERCEPT_CHECKS;
    clear_call(call);
    call_lock_take();
    if (check->always_before)
        check->always_before(call);
}

static bool go_below(struct intercept *call)
{
    call_lock_release();
    enter_library(call);
    return true;
}

/* A callback of the program frees an object: only that it is gone is seen. */
__attribute__((noinline)) static bool begin_inside(struct intercept *call)
{
    const struct check *check = &checks[call->procedure->family];

    if (intercept_where != INTERCEPT_BELOW || !check->is_seen_inside || !process.is_on || !process.is_up ||
        is_passed_on(call))
        return false;
    enter_checks(call);
    check->before(call);
    return go_below(call);
}

static inline void return_to_checks(struct intercept *call, int error)
{
    const struct check *check = &checks[call->procedure->family];

    call_lock_take();
    if (check->always_success && !error)
        check->always_success(call);
}

__attribute__((noinline)) static void end_inside(struct intercept *call, int error)
{
    return_to_checks(call, error);
    checks[call->procedure->family].after(call, error);
    call_lock_release();
    intercept_where = INTERCEPT_BELOW;
}

bool wrap_begin(struct intercept *call)
{
    if (page_guard_is_up)
        page_guard_lower();
    if (intercept_is_inside())
        return begin_inside(call);
    if (!process.is_on && !observe.is_wanted) {
        process_open();
        if (!process.is_on && !observe.is_wanted)
            return false;
    }
    enter_checks(call);
    call->is_checked = process.is_on;
    if (call->is_checked)
        check_begin(call);
    if (observe.is_wanted)
        observe_before(call);
    return go_below(call);
}

static void count_progress(const struct intercept *call, int error)
{
    if (!intercept_has(call, AT_FLAG) || error || *(int *)(intptr_t)intercept_argument(call, AT_FLAG)) {
        intercept_count_progress();
        return;
    }
    buffering_check_give_up();
    process.polled = call->procedure;
    process.polled_at = call->site;
    process.polls++;
}

/* True: the error is fatal. */
static bool check_end(struct intercept *call, int error)
{
    const struct check *check = &checks[call->procedure->family];

    intercept_remove(call);
    process.last_site = call->site;
    count_progress(call, error);
    if (error)
        comm_loss_learn_of_call(call, error);
    if (check->after)
        check->after(call, error);
    every_after(call, error);
    if (tracked_is_incomplete && board)
        finding_list_leave_out(&board->list, UNCHECKED_MEMORY);
    return error && error_check_say(call, error);
}

__attribute__((noinline)) static void mark_started(const struct intercept *call)
{
    bool is_many = call->procedure->family == FAMILY_STARTALL;
    const MPI_Request *started =
        (const MPI_Request *)(intptr_t)intercept_argument(call, is_many ? AT_REQUESTS : AT_REQUEST);
    int64_t count = is_many ? intercept_argument(call, AT_TOTAL) : 1;

    for (int64_t i = 0; started && i < count; i++)
        where_mark((uint64_t)(uintptr_t)started[i], call->code);
}

/* The library has marked a request of this call with an address of the wrapper's. */
static inline void mark_posted(const struct intercept *call)
{
    const MPI_Request *made = (const MPI_Request *)(intptr_t)intercept_argument(call, AT_NEW_REQUEST);

    if (made)
        where_mark((uint64_t)(uintptr_t)*made, call->code);
    else if (call->procedure->family == FAMILY_START || call->procedure->family == FAMILY_STARTALL)
        mark_started(call);
}

int wrap_end(struct intercept *call, int error)
{
    bool is_fatal;

    leave_library(call);
    if (innermost) {
        end_inside(call, error);
        return error;
    }
    return_to_checks(call, error);
    if (observe.is_wanted)
        observe_after(call, error);
    is_fatal = call->is_checked && check_end(call, error);
    if (!error)
        mark_posted(call);
    call_lock_release();
    if (error && !is_fatal)
        error_check_call_handler(error);
    intercept_where = INTERCEPT_PROGRAM;
    if (is_fatal)
        process_abort(error, END_ERROR);
    if (page_guard_is_wanted)
        page_guard_raise(call->code);
    return error;
}
