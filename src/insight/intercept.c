#include "insight/board_gather.h"
#include "insight/buffer_watch.h"
#include "insight/buffering_check.h"
#include "insight/call_lock.h"
#include "insight/checks.h"
#include "insight/error_check.h"
#include "insight/file_conflict.h"
#include "insight/finding.h"
#include "insight/kind_check.h"
#include "insight/mapped_memory.h"
#include "insight/message_check.h"
#include "insight/mpi_memory.h"
#include "insight/observe.h"
#include "insight/page_guard.h"
#include "insight/process_state.h"
#include "insight/program_site.h"
#include "insight/request_check.h"
#include "insight/session_check.h"
#include "insight/style_check.h"
#include "insight/thread_check.h"
#include "insight/tolerance_check.h"
#include "insight/tracked.h"
#include "insight/watchpoint.h"
#include "insight/win_check.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const struct check {
    check_before_fn *before;
    check_after_fn *after;
} checks[FAMILIES] = {
    [FAMILY_INIT] = {process_starting, process_started},
    [FAMILY_FINALIZE] = {process_finalizing, process_finalized},
    [FAMILY_SESSION_INIT] = {NULL, process_session_opened},
    [FAMILY_SESSION_END] = {process_session_closing, process_session_closed},
    [FAMILY_SEND] = {message_check_send, message_check_sent},
    [FAMILY_RECV] = {message_check_recv, message_check_received},
    [FAMILY_MRECV] = {message_check_mrecv, message_check_mreceived},
    [FAMILY_SENDRECV] = {message_check_sendrecv, message_check_sendreceived},
    [FAMILY_PROBE] = {message_check_probe, message_check_probed},
    [FAMILY_IPROBE] = {message_check_probe, message_check_probed},
    [FAMILY_ISEND] = {request_check_isend, request_check_posted},
    [FAMILY_IRECV] = {request_check_irecv, request_check_posted},
    [FAMILY_IMRECV] = {request_check_imrecv, request_check_posted},
    [FAMILY_ISENDRECV] = {request_check_isendrecv, request_check_posted},
    [FAMILY_SEND_INIT] = {request_check_init, request_check_made},
    [FAMILY_RECV_INIT] = {request_check_init, request_check_made},
    [FAMILY_PARTITIONED] = {request_check_init, request_check_made},
    [FAMILY_PREADY] = {partition_check_ready, partition_check_made_ready},
    [FAMILY_PARRIVED] = {NULL, partition_check_arrived},
    [FAMILY_START] = {request_check_start, request_check_started},
    [FAMILY_STARTALL] = {request_check_startall, request_check_started},
    [FAMILY_WAIT] = {request_check_wait, request_check_waited},
    [FAMILY_TEST] = {request_check_wait, request_check_waited},
    [FAMILY_WAITALL] = {request_check_waitall, request_check_waitedall},
    [FAMILY_TESTALL] = {request_check_waitall, request_check_waitedall},
    [FAMILY_WAITANY] = {request_check_waitall, request_check_waitedany},
    [FAMILY_TESTANY] = {request_check_waitall, request_check_waitedany},
    [FAMILY_WAITSOME] = {request_check_waitall, request_check_waitedsome},
    [FAMILY_TESTSOME] = {request_check_waitall, request_check_waitedsome},
    [FAMILY_REQUEST_FREE] = {request_check_free, NULL},
    [FAMILY_CANCEL] = {request_check_cancel, NULL},
    [FAMILY_GREQUEST] = {request_check_init, request_check_made},
    [FAMILY_COLLECTIVE] = {collective_check_before, collective_check_after},
    [FAMILY_ICOLLECTIVE] = {collective_check_before, collective_check_request},
    [FAMILY_COLLECTIVE_INIT] = {collective_check_before, collective_check_request},
    [FAMILY_COMM_MAKE] = {comm_check_before, comm_check_made},
    [FAMILY_COMM_IMAKE] = {comm_check_before, comm_check_idup},
    [FAMILY_COMM_GROUP_MAKE] = {comm_check_meeting, comm_check_made},
    [FAMILY_COMM_PARENT] = {NULL, NULL},
    [FAMILY_COMM_FREE] = {comm_check_freeing, comm_check_freed},
    [FAMILY_COMM_INFO] = {NULL, comm_check_info},
    [FAMILY_NAME] = {NULL, NULL},
    [FAMILY_TYPE_MAKE] = {NULL, type_check_made},
    [FAMILY_TYPE_FREE] = {type_check_freeing, object_check_freed},
    [FAMILY_OP_MAKE] = {NULL, object_check_made},
    [FAMILY_OP_FREE] = {object_check_freeing, object_check_freed},
    [FAMILY_GROUP_MAKE] = {NULL, object_check_made},
    [FAMILY_GROUP_FREE] = {object_check_freeing, object_check_freed},
    [FAMILY_INFO_MAKE] = {NULL, object_check_made},
    [FAMILY_INFO_FREE] = {object_check_freeing, object_check_freed},
    [FAMILY_ERRHANDLER_MAKE] = {NULL, object_check_made},
    [FAMILY_ERRHANDLER_FREE] = {object_check_freeing, object_check_freed},
    [FAMILY_ERRHANDLER_SET] = {error_check_set, error_check_set_done},
    [FAMILY_ERRHANDLER_GET] = {NULL, error_check_got},
    [FAMILY_ERROR_ASKED] = {NULL, unread_error_asked},
    [FAMILY_KEYVAL_MAKE] = {NULL, object_check_made},
    [FAMILY_KEYVAL_FREE] = {object_check_freeing, object_check_freed},
    [FAMILY_ATTR_SET] = {NULL, object_check_attached},
    [FAMILY_MEMORY_MAKE] = {NULL, object_check_memory},
    [FAMILY_MEMORY_FREE] = {object_check_memory_freed, NULL},
    [FAMILY_WIN_MAKE] = {comm_check_before, win_check_made},
    [FAMILY_WIN_FREE] = {win_check_freeing, win_check_freed},
    [FAMILY_WIN_FENCE] = {win_check_fence, win_check_fenced},
    [FAMILY_WIN_START] = {win_check_start, win_check_started},
    [FAMILY_WIN_COMPLETE] = {win_check_complete, win_check_completed},
    [FAMILY_WIN_POST] = {win_check_post, win_check_posted},
    [FAMILY_WIN_WAIT] = {win_check_wait, win_check_waited},
    [FAMILY_WIN_LOCK] = {win_check_lock, win_check_locked},
    [FAMILY_WIN_UNLOCK] = {win_check_unlock, win_check_unlocked},
    [FAMILY_WIN_FLUSH] = {win_check_flush, win_check_flushed},
    [FAMILY_WIN_FLUSH_LOCAL] = {win_check_flush, win_check_flushed_locally},
    [FAMILY_WIN_ATTACH] = {NULL, win_check_attached},
    [FAMILY_WIN_DETACH] = {win_check_detaching, NULL},
    [FAMILY_WIN_SYNC] = {NULL, win_check_flushed},
    [FAMILY_WIN_QUERY] = {NULL, win_check_queried},
    [FAMILY_WIN_SET_INFO] = {NULL, win_check_info},
    [FAMILY_RMA] = {win_check_accessing, win_check_accessed},
    [FAMILY_RMA_REQUEST] = {win_check_accessing, win_check_rma_done},
    [FAMILY_BUFFER_ATTACH] = {NULL, bsend_check_attached},
    [FAMILY_BUFFER_DETACH] = {NULL, bsend_check_detached},
    [FAMILY_BUFFER_FLUSH] = {NULL, bsend_check_flushed},
    [FAMILY_FILE_OPEN] = {collective_check_open, file_check_opened},
    [FAMILY_FILE_CLOSE] = {file_check_before, file_check_closed},
    [FAMILY_FILE_COLLECTIVE] = {file_check_before, file_check_after},
    [FAMILY_FILE_ICOLLECTIVE] = {file_check_before, file_check_request},
    [FAMILY_FILE_END] = {NULL, file_check_ended},
    [FAMILY_PACK] = {buffer_use_pack, NULL},
    [FAMILY_UNPACK] = {buffer_use_unpack, NULL},
    [FAMILY_REDUCE_LOCAL] = {buffer_use_reduce_local, NULL},
    [FAMILY_FILE_REQUEST] = {request_check_init, request_check_made},
    [FAMILY_IFLUSH] = {request_check_init, bsend_check_iflushed},
};

/* What few calls need besides, so that all others look at one byte. */
enum also {
    ALSO_MEMORY = 1,    /* MPI makes or frees memory */
    ALSO_TOLERANCE = 2, /* tolerated only where it was no error */
    ALSO_FILE = 4       /* accesses a file */
};
static const unsigned char also[FAMILIES] = {
    [FAMILY_MEMORY_MAKE] = ALSO_MEMORY,    [FAMILY_MEMORY_FREE] = ALSO_MEMORY,
    [FAMILY_WIN_MAKE] = ALSO_MEMORY,       [FAMILY_WIN_FREE] = ALSO_MEMORY,
    [FAMILY_WIN_QUERY] = ALSO_MEMORY,      [FAMILY_KEYVAL_MAKE] = ALSO_TOLERANCE,
    [FAMILY_KEYVAL_FREE] = ALSO_TOLERANCE, [FAMILY_ATTR_SET] = ALSO_TOLERANCE,
    [FAMILY_WIN_SYNC] = ALSO_TOLERANCE,    [FAMILY_FILE_ACCESS] = ALSO_FILE,
    [FAMILY_FILE_COLLECTIVE] = ALSO_FILE,  [FAMILY_FILE_REQUEST] = ALSO_FILE,
    [FAMILY_FILE_ICOLLECTIVE] = ALSO_FILE,
};

static struct intercept *under_way; /* owned by the lock */
static _Atomic uint64_t productive; /* written under the lock; relaxed: the watchdog only compares it */
static __thread __attribute__((tls_model(
    "initial-exec"))) int depth; /* calls that MPI itself makes, in callbacks of the program, are passed on */

struct intercept *intercept_calls(void)
{
    return under_way;
}

bool intercept_is_inside(void)
{
    return depth > 0;
}

uint64_t intercept_progress(void)
{
    return atomic_load_explicit(&productive, memory_order_relaxed);
}

/* Says calls that MPI_Init must precede, or that MPI_Finalize has ended. */
static void say_order(struct intercept *call)
{
    if (call->procedure->is_any_time || process.is_up || process.sessions > 0)
        return;
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

/* What the program has read and written since the last call. */
static void take_hits(struct intercept *call)
{
    watchpoint_was_hit = false;
    message_check_take_hits();
    buffer_watch_take_hits();
    win_check_take_hits(call);
}

static void check_begin(struct intercept *call)
{
    const struct check *check = &checks[call->procedure->family];

    if (message_check_is_late && call->procedure->family != FAMILY_SEND &&
        call->procedure->family != FAMILY_ISEND)
        message_check_settle();
    mapped_memory_forget();
    say_order(call);
    thread_check(call);
    if (watchpoint_was_hit)
        take_hits(call);
    if (buffer_watch_is_wanted)
        buffer_watch_compare(call);
    tolerance_check(call);
    if (process.sessions > 0)
        session_check_mixed(call);
    if (kind_check_is_wanted)
        kind_check(call);
    if (request_check_makes > 0)
        request_check_early(call);
    if (also[call->procedure->family] & ALSO_FILE) {
        style_check_before(call);
        file_conflict_before(call);
    }
    if (check->before && (process.is_up || call->procedure->is_any_time || process.sessions > 0))
        check->before(call);
    if (process.is_up && board)
        board->rank[process.rank % BOARD_RANKS].last.call = finding_place(call->site);
    call->next = under_way;
    under_way = call;
}

/* A Fortran binding calls by the name that the program has called, or, for itself, by a PMPI_ name. */
static void find_program(struct intercept *call)
{
    call->is_fortran = true;
    call->is_of_binding = call->is_profiling;
    call->site = program_site_find(call->site);
}

static void clear_call(struct intercept *call)
{
    call->is_fortran = call->is_of_binding = false;
    if (program_site_is_binding(call->site))
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

bool intercept_begin(struct intercept *call)
{
    if (page_guard_is_up)
        page_guard_lower();
    if (depth > 0)
        return false;
    if (!process.is_on && !observe.is_wanted) {
        process_open();
        if (!process.is_on && !observe.is_wanted)
            return false;
    }
    depth++;
    clear_call(call);
    call_lock_take();
    if (also[call->procedure->family] & ALSO_MEMORY)
        mpi_memory_before(call);
    call->is_checked = process.is_on;
    if (call->is_checked)
        check_begin(call);
    if (observe.is_wanted)
        observe_before(call);
    call_lock_release();
    if (call->is_checked && process.has_world && call->procedure->family == FAMILY_FINALIZE)
        board_gather_findings(call);
    return true;
}

static void remove_call(struct intercept *call)
{
    struct intercept **place = &under_way;

    while (*place != call)
        place = &(*place)->next;
    *place = call->next;
}

static void count_progress(const struct intercept *call, int error)
{
    if (!intercept_has(call, AT_FLAG) || error || *(int *)(intptr_t)intercept_argument(call, AT_FLAG)) {
        atomic_store_explicit(&productive, intercept_progress() + 1, memory_order_relaxed);
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

    remove_call(call);
    process.last_site = call->site;
    count_progress(call, error);
    if (also[call->procedure->family] & ALSO_TOLERANCE && !error)
        tolerance_check_after(call);
    if (check->after)
        check->after(call, error);
    if (process.sessions > 0 && !error)
        session_check_inherit(call);
    if (also[call->procedure->family] & ALSO_FILE && !error) {
        style_check_after(call);
        file_conflict_after(call);
    }
    if (buffer_watch_is_wanted)
        buffer_watch_sum_up(call);
    return error && error_check_say(call, error);
}

int intercept_end(struct intercept *call, int error)
{
    bool is_fatal;

    call_lock_take();
    if (also[call->procedure->family] & ALSO_MEMORY && !error)
        mpi_memory_after(call);
    if (observe.is_wanted)
        observe_after(call, error);
    is_fatal = call->is_checked && check_end(call, error);
    call_lock_release();
    if (error && !is_fatal)
        error_check_call_handler(error);
    depth--;
    if (is_fatal)
        process_abort(error, END_ERROR);
    if (page_guard_is_wanted)
        page_guard_raise(call->code);
    return error;
}

void intercept_want_status(struct intercept *call)
{
    int64_t *status = &call->argument[(int)call->procedure->at[AT_STATUS]];

    if ((MPI_Status *)(intptr_t)*status != MPI_STATUS_IGNORE)
        return;
    call->ignores_status = true;
    call->status = (MPI_Status){.MPI_SOURCE = MPI_ANY_SOURCE};
    *status = (int64_t)(intptr_t)&call->status;
}

static const char *constant_name(uint64_t value)
{
    for (const struct constant_name *row = constant_names; row->name; row++)
        if (row->value == value)
            return row->name;
    return NULL;
}

/* A name that the program gave, of a communicator, datatype or window. */
static void describe_handle(char letter, uint64_t handle, char *text, size_t size)
{
    const char *constant = constant_name(handle);
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;

    if (constant) {
        snprintf(text, size, "%s", constant);
        return;
    }
    if (letter == 'C' && tracked_find(TRACKED_COMM, handle))
        real.Comm_get_name((MPI_Comm)(uintptr_t)handle, name, &length);
    else if (letter == 'D' && tracked_find(TRACKED_TYPE, handle))
        real.Type_get_name((MPI_Datatype)(uintptr_t)handle, name, &length);
    else if (letter == 'W' && tracked_find(TRACKED_WIN, handle))
        real.Win_get_name((MPI_Win)(uintptr_t)handle, name, &length);
    if (length > 0)
        snprintf(text, size, "\"%.100s\"", name);
    else
        snprintf(text, size, "0x%llx", (unsigned long long)handle);
}

static void describe_argument(const char *name, char letter, int64_t value, char *text, size_t size)
{
    static const struct {
        const char *names;
        int value;
        const char *word;
    } special[] = {{"dest source target_rank rank root", MPI_PROC_NULL, "MPI_PROC_NULL"},
                   {"source", MPI_ANY_SOURCE, "MPI_ANY_SOURCE"},
                   {"root", MPI_ROOT, "MPI_ROOT"},
                   {"tag recvtag", MPI_ANY_TAG, "MPI_ANY_TAG"},
                   {"lock_type", MPI_LOCK_EXCLUSIVE, "MPI_LOCK_EXCLUSIVE"},
                   {"lock_type", MPI_LOCK_SHARED, "MPI_LOCK_SHARED"}};

    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        if (special[i].value == value && strstr(special[i].names, name)) {
            snprintf(text, size, "%s", special[i].word);
            return;
        }
    }
    if (strchr("CDOWFEIJGSQMA", letter))
        describe_handle(letter, (uint64_t)value, text, size);
    else if (letter == '"' && value)
        snprintf(text, size, "\"%.60s\"", (const char *)(intptr_t)value);
    else if (strchr("inNLdsRtT", letter))
        snprintf(text, size, "%lld", (long long)value);
    else if (strchr("bpqrxoe", letter) && (void *)(intptr_t)value == MPI_IN_PLACE)
        snprintf(text, size, "MPI_IN_PLACE");
    else
        snprintf(text, size, value ? "0x%llx" : "NULL", (unsigned long long)value);
}

void intercept_describe(const struct intercept *call, char *text, size_t size)
{
    const char *letter = call->procedure->letters, *name = call->procedure->arguments;
    size_t used = (size_t)snprintf(text, size, "%s(", call->procedure->name);

    for (int i = 0; *letter && used < size; i++, letter++) {
        size_t length = strcspn(name, ",");
        char word[64], value[160];

        if (*letter == '&' || *letter == '+') /* a handle through a pointer */
            letter++;
        snprintf(word, sizeof word, "%.*s", (int)length, name);
        describe_argument(word, *letter, call->argument[i], value, sizeof value);
        used += (size_t)snprintf(text + used, size - used, "%s%s=%s", i ? ", " : "", word, value);
        name += length + (name[length] == ',');
    }
    if (used + 1 < size)
        snprintf(text + used, size - used, ")");
}
