/* Threads that add pollers of their own at the same time. */
#include "progress/progress.h"

#include "base/lock.h"
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ADDERS = 3,
    PROCESSES = 300
};

static _Atomic int ready;
static int polled_of[ADDERS];

static int poll_first(bool all)
{
    (void)all;
    polled_of[0]++;
    return 0;
}

static int poll_second(bool all)
{
    (void)all;
    polled_of[1]++;
    return 0;
}

static int poll_third(bool all)
{
    (void)all;
    polled_of[2]++;
    return 0;
}

static void *add_one(void *poll)
{
    atomic_fetch_add_explicit(&ready, 1, memory_order_relaxed);
    while (atomic_load_explicit(&ready, memory_order_relaxed) < ADDERS)
        ;
    progress_add_poller(*(poll_fn **)poll);
    return NULL;
}

/* Exits with 0 if none is lost. */
static void add_all(void)
{
    poll_fn *poll[ADDERS] = {poll_first, poll_second, poll_third};
    pthread_t thread[ADDERS];
    int lost = 0;

    for (int i = 0; i < ADDERS; i++)
        if (pthread_create(&thread[i], NULL, add_one, &poll[i]))
            _exit(2);
    for (int i = 0; i < ADDERS; i++)
        pthread_join(thread[i], NULL);
    progress_poll();
    for (int i = 0; i < ADDERS; i++)
        lost += !polled_of[i];
    _exit(lost != 0);
}

/* In processes of their own, since pollers stay. */
static void pollers_of_several_threads_are_all_polled(void **state)
{
    (void)state;
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        pid_t child = fork();

        assert_true(child >= 0);
        if (!child)
            add_all();
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pollers_of_several_threads_are_all_polled),
    };

    lock_enable(); /* as under MPI_THREAD_MULTIPLE */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
