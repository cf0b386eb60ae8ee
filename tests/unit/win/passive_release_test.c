/* control_release, stopped after each of its instructions in turn: a waiter that says so just then, and finds the lock taken, is
 * woken. Two instructions lie between giving the lock back and looking for waiters, so no load ever hits the moment. */
#include "win/passive.h"

#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum {
    SKIPPED = 77,
    MOST_STEPS = 10000,
    HOLDER = 0,
    WAITER = 1
};

enum stage {
    BEFORE,
    WITHIN,
    BEHIND
};

/* Of the two processes. */
static struct shared {
    struct win_control control;
    _Atomic enum stage stage;
} * shared;

/* The child. */
static void give_back(bool is_exclusive)
{
    struct win win = {.size = 1, .rank = HOLDER};

    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
        _exit(SKIPPED);
    raise(SIGSTOP);
    atomic_store(&shared->stage, WITHIN);
    control_release(&win, &shared->control, HOLDER, is_exclusive);
    atomic_store(&shared->stage, BEHIND);
    _exit(0);
}

static void step(pid_t child)
{
    int status;

    assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSTOPPED(status));
}

/* A process that holds the lock, stopped `steps` instructions into control_release or behind it. */
static pid_t start_holder(bool is_exclusive, int steps)
{
    pid_t child;
    int status;

    memset(shared, 0, sizeof *shared);
    assert_true(control_try(&shared->control, HOLDER, is_exclusive));
    child = fork();
    if (!child)
        give_back(is_exclusive);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
        printf("skipped: this system does not let a process trace its child\n");
        exit(SKIPPED);
    }
    while (atomic_load(&shared->stage) == BEFORE)
        step(child);
    for (int i = 0; i < steps && atomic_load(&shared->stage) == WITHIN; i++)
        step(child);
    return child;
}

static void end_holder(pid_t child)
{
    int status;

    assert_int_equal(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void wait_at_each_step(bool is_held_alone, bool is_wanted_alone)
{
    int asleep = 0, taken = 0;
    enum stage stage;

    for (int steps = 0; steps < MOST_STEPS; steps++) {
        pid_t child = start_holder(is_held_alone, steps);
        bool is_taken;

        stage = atomic_load(&shared->stage);
        control_announce(&shared->control, WAITER, is_wanted_alone);
        is_taken = control_try(&shared->control, WAITER, is_wanted_alone);
        end_holder(child);
        if (!is_taken) {
            assert_int_equal(atomic_load(&shared->control.waiters), 0); /* it was found, and woken */
            assert_true(control_try(&shared->control, WAITER, is_wanted_alone));
        }
        *(is_taken ? &taken : &asleep) += 1;
        if (stage == BEHIND)
            break;
    }
    assert_int_equal(stage, BEHIND);
    assert_true(asleep > 0 && taken > 1); /* the last one came behind it */
}

static void who_waits_for_one_that_holds_it_alone_is_woken(void **state)
{
    (void)state;
    wait_at_each_step(true, true);
    wait_at_each_step(true, false);
}

static void who_waits_for_one_that_shares_it_is_woken(void **state)
{
    (void)state;
    wait_at_each_step(false, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_waits_for_one_that_holds_it_alone_is_woken),
                                       cmocka_unit_test(who_waits_for_one_that_shares_it_is_woken)};

#ifndef __x86_64__
    printf("skipped: here an atomic operation may be a loop, which ends for nobody who is stopped within\n");
    return SKIPPED;
#elif defined(__SANITIZE_THREAD__)
    printf("skipped: ThreadSanitizer makes tens of thousands of instructions of it, and each is a process of "
           "its own here\n");
    return SKIPPED;
#endif
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
