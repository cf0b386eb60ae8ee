#include "base/lock.h"

#include "plain/cpu.h"
#include "unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

enum {
    MOST_THREADS = 8,
    ROUNDS = 100000,
    CHILDREN = 60, /* that revoke the bias as often as can be, each */
    WHILE_US = 20000,
    DELAYS = 30,
    MEMORY = 1 << 22,
    SECTION = 500 /* steps: longer than it takes to revoke */
};

#define SOON_S 0.5

static struct lock lock = LOCK_INIT, inner = LOCK_INIT;
static long counter, inner_counter; /* each under its lock */
static _Atomic uint32_t counted;    /* by lock_add */
static _Atomic bool is_there;

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "not so: %s; bias %u\n", what, atomic_load(&lock_bias));
    exit(1);
}

/* Locks are enabled once in a process, so each case runs in a process of its own. */
static void in_child(void (*body)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        body();
        exit(0);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static bool is_mutex_free(struct lock *l)
{
    if (pthread_mutex_trylock(&l->mutex) != 0)
        return false;
    pthread_mutex_unlock(&l->mutex);
    return true;
}

static void *take_once(void *unused)
{
    lock_take(&lock);
    counter++;
    lock_release(&lock);
    return unused;
}

static void in_thread(void *(*body)(void *))
{
    pthread_t thread;

    expect(pthread_create(&thread, NULL, body, NULL) == 0, "a thread starts");
    expect(pthread_join(thread, NULL) == 0, "it ends");
}

static bool has_membarrier(void)
{
    return cpu_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

/* Makes membarrier(2) fail from now on; false: the system has no seccomp. */
static bool refuse_membarrier(void)
{
    struct sock_filter refuse[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof refuse / sizeof *refuse, refuse};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

/* Below MPI_THREAD_MULTIPLE nothing happens. */
static void take_disabled(void)
{
    lock_take(&lock);
    expect(is_mutex_free(&lock) && lock_is_alone() && !lock_mine.depth, "locks are off");
    lock_release(&lock);
}

/* The thread that enables locks takes them without a mutex, also nested, with any order of release. */
static void take_biased(void)
{
    lock_enable();
    if (!has_membarrier())
        exit(0);
    for (int i = 0; i < 3; i++) {
        lock_take(&lock);
        lock_take(&inner);
        expect(lock_is_alone() && lock_try(&lock), "nothing is taken from oneself");
        expect(is_mutex_free(&lock) && is_mutex_free(&inner), "no mutex is taken");
        lock_release(&lock);
        lock_release(&lock);
        expect(atomic_load(&lock_section[1].busy), "the section lasts to the last release");
        lock_release(&inner);
        expect(!atomic_load(&lock_section[1].busy) && !lock_is_alone(), "and ends with it");
    }
    expect(atomic_load(&lock_bias) == 1, "nobody else came");
}

/* A thread that does all the work gets the bias. When several threads alternate, it ends. */
static void hand_over(void)
{
    lock_enable();
    if (!has_membarrier())
        exit(0);
    in_thread(take_once);
    expect(atomic_load(&lock_bias) == 2, "the bias goes to who comes");
    for (unsigned i = 3; i <= LOCK_GRANTS; i++) {
        in_thread(take_once);
        expect(atomic_load(&lock_bias) == i && !lock_is_shared(), "each time");
    }
    take_once(NULL);
    expect(lock_is_shared(), "a limited number of times");
    lock_take(&lock);
    expect(!is_mutex_free(&lock) && !lock_is_alone(), "then mutexes are taken");
    lock_release(&lock);
    expect(is_mutex_free(&lock) && counter == LOCK_GRANTS, "and released");
}

static void *take_when_told(void *unused)
{
    atomic_store(&is_there, true);
    lock_take(&lock);
    expect(counter == 2, "the section has ended");
    lock_release(&lock);
    return unused;
}

/* A thread that wants a lock waits for the end of the section, not only of that lock. */
static void wait_for_section(void)
{
    pthread_t thread;

    lock_enable();
    lock_take(&inner);
    lock_take(&lock);
    expect(pthread_create(&thread, NULL, take_when_told, NULL) == 0, "a thread starts");
    while (!atomic_load(&is_there))
        sched_yield();
    usleep(WHILE_US);
    counter = 1;
    lock_release(&inner);
    usleep(WHILE_US);
    lock_take(&inner); /* the bias is being revoked meanwhile */
    counter = 2;
    lock_release(&inner);
    lock_release(&lock);
    pthread_join(thread, NULL);
}

static void *hammer(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        lock_take(&lock);
        counter++;
        lock_take(&inner);
        inner_counter++;
        lock_add(&counted, 1);
        lock_release(&lock);
        lock_release(&inner);
        lock_add(&counted, 1);
    }
    return unused;
}

static void hammer_with(int threads)
{
    pthread_t thread[MOST_THREADS];

    counter = inner_counter = 0;
    atomic_store(&counted, 0);
    for (int i = 1; i < threads; i++)
        expect(pthread_create(&thread[i], NULL, hammer, NULL) == 0, "a thread starts");
    hammer(NULL);
    for (int i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    expect(counter == (long)threads * ROUNDS && inner_counter == counter, "nothing is lost under locks");
    expect(atomic_load(&counted) == 2 * counter, "nor in counts");
}

static void hammer_2(void)
{
    lock_enable();
    hammer_with(2);
}

static void hammer_8(void)
{
    lock_enable();
    hammer_with(MOST_THREADS);
    hammer_with(MOST_THREADS); /* without bias from the start */
}

static _Atomic int inside; /* the thread that is in the section */

/* Stores to lines that are in no cache: the next one, of `busy`, waits behind them in the core. */
static void delay_stores(volatile char *memory, unsigned *seed)
{
    for (int i = 0; i < DELAYS; i++) {
        *seed = *seed * 1103515245 + 12345;
        memory[*seed % MEMORY] = 1;
    }
}

/* Who revokes the bias must see a section that its thread has only just begun. */
static void *begin_sections(void *which)
{
    int me = *(const int *)which;
    unsigned seed = (unsigned)me;
    char *memory = malloc(MEMORY);

    expect(memory != NULL, "there is memory");
    memset(memory, 0, MEMORY);
    atomic_fetch_add(&counted, 1);
    while (atomic_load_explicit(&counted, memory_order_relaxed) < 2)
        ;
    while (!lock_is_shared()) {
        delay_stores(memory, &seed);
        lock_take(&lock);
        expect(atomic_load_explicit(&inside, memory_order_relaxed) == 0, "nobody else is in a section");
        atomic_store_explicit(&inside, me, memory_order_relaxed);
        for (volatile int i = 0; i < SECTION; i++)
            ;
        expect(atomic_load_explicit(&inside, memory_order_relaxed) == me, "nor has come since");
        atomic_store_explicit(&inside, 0, memory_order_relaxed);
        lock_release(&lock);
    }
    free(memory);
    return NULL;
}

static void revoke_just_begun(void)
{
    static int me[2] = {1, 2};
    pthread_t thread;

    lock_enable();
    expect(pthread_create(&thread, NULL, begin_sections, &me[0]) == 0, "a thread starts");
    begin_sections(&me[1]);
    pthread_join(thread, NULL);
}

static void hammer_ended(void)
{
    lock_enable();
    lock_end_bias();
    expect(lock_is_shared(), "the bias has ended");
    lock_end_bias();
    hammer_with(3);
}

/* Forking in the thread with the bias changes nothing. */
static void fork_biased(void)
{
    int status;
    pid_t pid;

    lock_enable();
    take_once(NULL);
    pid = fork();
    if (pid == 0) {
        take_once(NULL);
        _exit(counter == 2 ? 0 : 1);
    }
    expect(waitpid(pid, &status, 0) == pid && status == 0, "the child may take locks");
    hammer_with(3);
}

static void refuse_from_start(void)
{
    if (!refuse_membarrier())
        exit(0);
    lock_enable();
    expect(lock_is_shared(), "there is no bias without membarrier");
    lock_take(&lock);
    expect(!is_mutex_free(&lock), "a mutex is taken");
    lock_release(&lock);
    hammer_with(4);
}

static void refuse_later(void)
{
    lock_enable();
    if (!refuse_membarrier())
        exit(0);
    hammer_with(4);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Without membarrier the next thread waits for the last one's stores, but not long: the fastest of four counts. */
static void hand_over_soon(void)
{
    double least = SOON_S;

    lock_enable();
    if (!refuse_membarrier())
        exit(0);
    for (int i = 0; i < 4; i++) {
        double begin = seconds(), took;

        in_thread(take_once);
        took = seconds() - begin;
        least = took < least ? took : least;
    }
    expect(least < SOON_S, "another thread soon has the bias");
}

static void test_disabled(void **state)
{
    (void)state;
    in_child(take_disabled);
}

static void test_bias(void **state)
{
    (void)state;
    in_child(take_biased);
    in_child(hand_over);
}

static void test_section(void **state)
{
    (void)state;
    in_child(wait_for_section);
}

static void test_hammer(void **state)
{
    (void)state;
    in_child(hammer_2);
    in_child(hammer_8);
    in_child(hammer_ended);
}

static void test_just_begun(void **state)
{
    (void)state;
    for (int i = 0; i < CHILDREN; i++)
        in_child(revoke_just_begun);
}

static void test_fork(void **state)
{
    (void)state;
    in_child(fork_biased);
}

static void test_refused(void **state)
{
    (void)state;
    in_child(refuse_from_start);
    in_child(refuse_later);
    in_child(hand_over_soon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disabled), cmocka_unit_test(test_bias),       cmocka_unit_test(test_section),
        cmocka_unit_test(test_hammer),   cmocka_unit_test(test_just_begun), cmocka_unit_test(test_fork),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
