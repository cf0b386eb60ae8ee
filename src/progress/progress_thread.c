#include "progress/progress.h"

#include "base/thread.h"
#include "plain/fail.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum {
    WATCH_NS = 100 * 1000 /* between checks that somebody else still polls */
};

static pthread_t thread;
static bool is_running;
static _Atomic bool is_over; /* set by the thread that stops this one and then wakes it */

static bool somebody_polls(void)
{
    struct timespec t = {0, WATCH_NS};
    uint32_t before = progress_rounds();

    nanosleep(&t, NULL);
    return progress_rounds() != before;
}

static void *progress_thread_run(void *unused)
{
    while (!atomic_load_explicit(&is_over, memory_order_relaxed))
        if (!somebody_polls())
            while (!atomic_load_explicit(&is_over, memory_order_relaxed) && progress_rest(&is_over))
                ;
    return unused;
}

int progress_thread_start(void)
{
    int error;

    if (is_running)
        return MPI_SUCCESS;
    atomic_store_explicit(&is_over, false, memory_order_relaxed);
    error = thread_start(&thread, progress_thread_run);
    if (error)
        return fail(MPI_ERR_OTHER, "cannot start the thread of inkling_progress_thread: %s", strerror(error));
    is_running = true;
    return MPI_SUCCESS;
}

void progress_thread_stop(void)
{
    if (!is_running)
        return;
    atomic_store_explicit(&is_over, true, memory_order_relaxed); /* before the wake: see progress_rest */
    progress_wake();
    pthread_join(thread, NULL);
    is_running = false;
}
