/* The insight library is not the core's, so its lock is compiled into this program. The counter is plain: under
 * ThreadSanitizer each phase also shows that the lock orders what it guards. */
#include "insight/call/call_lock.c"

#include "unit.h"

enum {
    VISITS = 200,
    THREADS = 3
};

static long counter;
static _Atomic bool is_over;

/* Calls MPI until the watchdog has ended; how often. */
static void *call(void *unused)
{
    long calls = 0;

    (void)unused;
    do {
        call_lock_take();
        counter++;
        call_lock_release();
        calls++;
    } while (!atomic_load_explicit(&is_over, memory_order_relaxed));
    return (void *)calls;
}

/* The watchdog. Somebody has called between two visits that count. */
static void *visit(void *unused)
{
    long visits = 0, seen = -1;

    (void)unused;
    while (visits < VISITS) {
        call_lock_visit();
        if (counter != seen) {
            seen = ++counter;
            visits++;
        }
        call_lock_leave();
        sched_yield();
    }
    atomic_store_explicit(&is_over, true, memory_order_relaxed);
    return NULL;
}

static pthread_t start(void *(*run)(void *))
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, run, NULL), 0);
    return thread;
}

static long end(pthread_t thread)
{
    void *result;

    assert_int_equal(pthread_join(thread, &result), 0);
    return (long)result;
}

/* The watchdog, this thread and so many others: all that they count is there. */
static void meet(int threads)
{
    pthread_t watchdog, thread[THREADS];
    long calls;

    counter = 0;
    is_over = false;
    for (int i = 0; i < threads; i++)
        thread[i] = start(call);
    watchdog = start(visit);
    calls = (long)call(NULL);
    for (int i = 0; i < threads; i++)
        calls += end(thread[i]);
    end(watchdog);
    assert_int_equal(counter, VISITS + calls);
}

/* Whether this thread takes the lock with plain stores. */
static bool owns_lock(void)
{
    bool is_busy;

    call_lock_take();
    is_busy = call_lock_busy;
    call_lock_release();
    assert_false(call_lock_busy);
    return is_busy;
}

/* Nobody has called MPI yet. */
static void visitors_need_no_owner(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        call_lock_visit();
        call_lock_leave();
    }
    assert_false(call_lock_visited);
}

/* One thread calls MPI, and has the lock again when the visitor has left. */
static void owner_and_visitor_exclude_each_other(void **state)
{
    (void)state;
    call_lock_take(); /* without membarrier(2) nobody owns it */
    call_lock_release();
    assert_int_equal(owns_lock(), !is_shared);
    meet(0);
    assert_int_equal(owns_lock(), !is_shared);
}

/* Other threads call it, too: the mutex decides from now on. */
static void threads_exclude_each_other(void **state)
{
    (void)state;
    meet(THREADS);
    assert_true(is_shared);
    assert_false(owns_lock());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visitors_need_no_owner),
        cmocka_unit_test(owner_and_visitor_exclude_each_other),
        cmocka_unit_test(threads_exclude_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
