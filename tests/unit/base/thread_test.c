/* The library's threads take no signals of the program, and the one that starts them goes on taking its own. */
#include "base/thread.h"

#include "unit.h"

#include <signal.h>
#include <stdbool.h>

static bool of_new[NSIG]; /* blocked in the new thread */

static void list_blocked(bool blocked[NSIG])
{
    sigset_t mask;

    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
    for (int s = 1; s < NSIG; s++)
        blocked[s] = sigismember(&mask, s) == 1;
}

static void *look(void *unused)
{
    list_blocked(of_new);
    return unused;
}

static void signals_stay_with_the_program(void **state)
{
    bool before[NSIG] = {false}, after[NSIG] = {false};
    sigset_t one;
    pthread_t thread;

    (void)state;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &one, NULL), 0);
    list_blocked(before);
    assert_int_equal(thread_start(&thread, look), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    list_blocked(after);
    assert_memory_equal(before, after, sizeof before);
    assert_true(after[SIGUSR2] && !after[SIGUSR1]);
    assert_true(of_new[SIGUSR1] && of_new[SIGUSR2] && of_new[SIGTERM] && of_new[SIGCHLD]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signals_stay_with_the_program)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
