#include "insight/process_state.h"

#include "insight/board.h"
#include "insight/checks.h"
#include "insight/comm_check.h"
#include "insight/error_check.h"
#include "insight/finding_print.h"
#include "insight/hang.h"
#include "insight/message_check.h"
#include "insight/object_check.h"
#include "insight/observe.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FINALIZE_MS = 10000,
    CODE_FOUND = 66 /* the exit code of a job in which something was found */
};

struct process process;
__thread bool process_is_main;

/* A library that was opened with dlopen, as Python does, is not behind this one. */
static void *find_below(const char *name)
{
    static void *library;
    void *function = dlsym(RTLD_NEXT, name);

    if (!function && !library)
        library = dlopen("libmpi_abi.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return function || !library ? function : dlsym(library, name);
}

/* False: there is no MPI in this process (yet). */
static bool find_real(void)
{
    for (const struct real_name *row = real_names; row->name; row++) {
        void *function = find_below(row->name);

        if (!function && row == real_names)
            return false;
        memcpy((char *)&real + row->offset, &function, sizeof function);
    }
    return true;
}

__attribute__((constructor)) static void process_load(void)
{
    find_real();
}

void process_open(void)
{
    const char *path = getenv("INKLING_JOB_BOARD"), *rank = getenv("INKLING_JOB_RANK");

    if (!real.Init && !find_real())
        return;
    observe_open();
    process.is_on = path || !observe.is_wanted;
    if (path && board_open(path) == 0)
        process.rank = rank ? atoi(rank) : 0;
}

/* Rank 0 makes a board, and the others open it. */
static bool share_new_board(void)
{
    char path[64] = "";
    int error = 0, all;

    if (process.rank == 0) {
        int fd = board_make(&board);

        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
    }
    real.Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (process.rank > 0)
        error = board_open(path);
    error = error || !board;
    real.Allreduce(&error, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (error)
        board_make(&board);
    return !all;
}

static void share_board(void)
{
    int has = board != NULL, all = 0;

    real.Allreduce(&has, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    process.is_shared = all || share_new_board();
    if (process.size > BOARD_RANKS)
        process.is_shared = false;
    if (!board)
        process.is_on = false;
}

void process_starting(struct intercept *call)
{
    if (process.is_up || process.was_up)
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
    if (status == 0 && process.is_up && !process.was_up && process.pid == getpid())
        finding_add(&(struct finding_about){.class = FINDING_CALL_ORDER,
                                            .where = process.last_site,
                                            .fix = "call MPI_Finalize"},
                    "the process ends without MPI_Finalize; its last call of MPI is here");
}

void process_started(struct intercept *call, int error)
{
    (void)call;
    if (error || process.is_up)
        return;
    real.Comm_rank(MPI_COMM_WORLD, &process.rank);
    real.Comm_size(MPI_COMM_WORLD, &process.size);
    real.Query_thread(&process.level);
    process_is_main = true;
    share_board();
    if (!process.is_on)
        return;
    process.is_up = true;
    process.pid = getpid();
    on_exit(look_at_exit, NULL);
    comm_check_start();
    error_check_start();
    hang_start();
}

void process_finalizing(struct intercept *call)
{
    struct comm_record *world = comm_check_find(MPI_COMM_WORLD);

    object_check_leaks(call);
    atomic_fetch_add_explicit(&board->finalizing, 1,
                              memory_order_acq_rel); /* its messages are on the board */
    if (world)
        comm_check_enter_finalize(call, world);
}

/* Under Inkling's mpiexec that prints; elsewhere the last rank does. */
static void print_if_last(void)
{
    static _Atomic uint32_t *ended;

    if (getenv("INKLING_JOB_BOARD"))
        return;
    ended = &board->is_printed;
    if (atomic_fetch_add_explicit(ended, 1, memory_order_acq_rel) + 1 <
        (uint32_t)(process.is_shared ? process.size : 1))
        return;
    if (finding_print(board, getenv("INKLING_CHECK")) > 0) {
        fflush(NULL);
        _exit(CODE_FOUND);
    }
}

/* MPI_Finalize need not wait for the others, who may still send. */
static void await_others(void)
{
    for (int i = 0; i < FINALIZE_MS && process.is_shared; i++) {
        if (atomic_load_explicit(&board->finalizing, memory_order_acquire) >= (uint32_t)process.size)
            return;
        usleep(1000);
    }
}

void process_finalized(struct intercept *call, int error)
{
    if (error)
        return;
    hang_stop();
    await_others();
    message_check_lost(call);
    process.is_up = false;
    process.was_up = true;
    print_if_last();
}

void process_session_opened(struct intercept *call, int error)
{
    (void)call;
    if (!error)
        process.sessions++;
}

void process_session_closed(struct intercept *call, int error)
{
    (void)call;
    if (!error)
        process.sessions--;
}

void process_abort(int code)
{
    int class = code;

    if (board && !getenv("INKLING_JOB_BOARD") &&
        !atomic_exchange_explicit(&board->is_printed, 1000000, memory_order_acq_rel))
        finding_print(board, getenv("INKLING_CHECK"));
    if (real.Error_class)
        real.Error_class(code, &class);
    if (real.Abort)
        real.Abort(MPI_COMM_WORLD, class);
    _exit(CODE_FOUND);
}
