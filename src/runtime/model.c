#include "runtime/model.h"

#include "base/last_flush.h"
#include "base/live.h"
#include "base/lock.h"
#include "base/thread.h"
#include "boot/boot.h"
#include "boot/report_sender.h"
#include "making/hint_report.h"
#include "making/survive.h"
#include "memory/ipc.h"
#include "net/net.h"
#include "op/op.h"
#include "p2p/p2p.h"
#include "plain/fail.h"
#include "plain/name_directory.h"
#include "progress/progress.h"
#include "runtime/runtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

_Atomic int model_count;
static _Atomic bool world_is_over; /* relaxed: who closes the last model sees it through model_count */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static bool layers_are_open;                             /* never reset */
static bool boot_is_open;
static pthread_t single_thread; /* while locks are off: the thread that opened the first model */

/* All that may fail, in the order of the layers. */
static int open_layers(void)
{
    int error = hint_process_fix();

    if (error)
        return error;
    name_place_given = hint_process.text[HINT_NAME_DIRECTORY];
    error = boot_init();
    if (error)
        return error;
    errhandler_init();
    datatype_init();
    op_init();
    group_me = boot.rank;
    group_job_size = boot.size;
    group_init();
    error = net_open();
    if (error)
        return error;
    error = p2p_open();
    if (error)
        net_close();
    return error;
}

/* Hydra and similar launchers treat a process that has sent finalize as ended. */
static bool launcher_takes_us_back(void)
{
    return strcmp(boot.launcher, "mpiexec") == 0 || strcmp(boot.launcher, "singleton") == 0;
}

static int fence_error;            /* of the thread in the fence; valid once fence_is_over */
static _Atomic bool fence_is_over; /* release by that thread, acquire by the one that progresses meanwhile */

static void *wait_at_fence(void *unused)
{
    fence_error = boot_fence();
    atomic_store_explicit(&fence_is_over, true, memory_order_release);
    return unused;
}

/* Until all processes have reached the fence, one may ask for a send that was cancelled and is still there
 * (p2p/send.c), or wait for packets that the network has not taken yet, since it has been busy with others. */
static int serve_until_fence(void)
{
    struct wait w = WAIT_START;
    pthread_t thread;

    atomic_store_explicit(&fence_is_over, false, memory_order_relaxed);
    if (thread_start(&thread, wait_at_fence))
        return boot_fence();
    progress_stay_awake(1);
    while (!atomic_load_explicit(&fence_is_over, memory_order_acquire))
        progress_wait(&w);
    progress_stay_awake(-1);
    pthread_join(thread, NULL);
    return fence_error;
}

static int fence(void)
{
    return p2p_has_detached() || !net_has_sent_all() ? serve_until_fence() : boot_fence();
}

/* If a process ends with unread data, the network discards what it sent. So the others must receive first. */
static int send_finalize(void)
{
    int error, last;

    if (!boot_is_open)
        return MPI_SUCCESS;
    if (net_survives())
        p2p_say_over();
    if (net_survives() && net_spans_hosts())
        error = survive_part();
    else
        error = net_ends_together() ? fence() : MPI_SUCCESS;
    net_say_over();
    last = boot_fini();
    boot_is_open = false;
    return error ? error : last;
}

static void send_finalize_at_exit(void)
{
    send_finalize();
}

static int model_open_first(void)
{
    int error = MPI_SUCCESS;

    if (!layers_are_open) {
        live_set_own(true);
        error = open_layers();
        live_set_own(false);
    } else if (!boot_is_open && launcher_takes_us_back()) {
        error = boot_init();
    } else {
        return MPI_SUCCESS; /* perhaps without the launcher, whose data are known already */
    }
    if (error)
        return error;
    if (!layers_are_open && strcmp(boot.launcher, "singleton") != 0)
        last_flush_prepare();
    layers_are_open = boot_is_open = true;
    stats_begin();
    return MPI_SUCCESS;
}

/* Locks, once enabled, stay enabled. They may be enabled only while no other thread is in MPI. The open
 * models guarantee that, except for the thread that may call MPI under MPI_THREAD_FUNNELED. */
static int grant(int wanted)
{
    bool is_first = atomic_load_explicit(&model_count, memory_order_relaxed) == 0;

    if (is_first && !lock_enabled)
        single_thread = pthread_self();
    if (lock_enabled || wanted != MPI_THREAD_MULTIPLE)
        return wanted;
    if (!pthread_equal(single_thread, pthread_self()))
        return MPI_THREAD_SERIALIZED;
    lock_enable();
    return wanted;
}

/* The library's own thread is another thread in MPI, whatever level the program was granted. */
static int start_progress(void)
{
    if (!hint_process.value[HINT_PROGRESS_THREAD] || boot.size == 1)
        return MPI_SUCCESS;
    if (!lock_enabled)
        lock_enable();
    lock_end_bias();
    return progress_thread_start();
}

int model_open(int *thread_level)
{
    int granted, error = MPI_SUCCESS;
    bool is_first;

    pthread_mutex_lock(&lock);
    is_first = atomic_load_explicit(&model_count, memory_order_relaxed) == 0; /* changed under the lock */
    granted = grant(*thread_level);
    if (is_first)
        error = model_open_first();
    if (!error && is_first) {
        report_sender_open();
        error = start_progress();
    }
    if (!error) {
        *thread_level = granted;
        live_set_closed(false);
        atomic_fetch_add_explicit(&model_count, 1, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return error;
}

static int close_last(void)
{
    static bool is_registered;

    hint_report_rest();
    p2p_drain();
    stats_report();
    report_sender_close();
    progress_thread_stop();
    ipc_forget_all();
    if (atomic_load_explicit(&world_is_over, memory_order_relaxed) ||
        (launcher_takes_us_back() && !net_ends_together()))
        return send_finalize();
    if (!is_registered && atexit(send_finalize_at_exit)) /* MPI_Init or another session may follow */
        return fail(MPI_ERR_NO_MEM, "no memory to tell the launcher of the end");
    is_registered = true;
    return MPI_SUCCESS;
}

int model_close(void)
{
    int error = MPI_SUCCESS;

    pthread_mutex_lock(&lock);
    if (atomic_fetch_sub_explicit(&model_count, 1, memory_order_acq_rel) == 1)
        error = close_last();
    live_set_closed(atomic_load_explicit(&model_count, memory_order_relaxed) == 0);
    pthread_mutex_unlock(&lock);
    return error;
}

void model_forget_world(void)
{
    atomic_store_explicit(&world_is_over, true, memory_order_relaxed);
}
